"""Where a line of text names somebody or something: a user, a host, an address, a UUID, a serial, a path."""

from __future__ import annotations

import re

_NAME = r"[A-Za-z][A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]++)*+"
_IPV4 = r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}"
_PART = r"[^\s/\\\"'`<>|,;:=()\[\]{}*?]"
_HEX4 = "-[0-9A-Fa-f]{4}"
# "host : x", --host=x, --host x, SLURMD_NODENAME=x; a blank is enough for a flag only
_IS = r"(?:(?<![A-Za-z0-9])WORD[\"']?[ \t]{0,48}[:=]|--WORD(?=[ \t]))[ \t]{0,4}[\"']?"
_HOST_IS = _IS.replace("WORD", "(?i:host|host_?name|nodename|nodelist|master[_-]addr|rdzv[_-]endpoint)")
_USER_IS = _IS.replace("WORD", "(?i:user|user[_-]?name|login|logname)")
_DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z]"
_CLOCK = "[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}"

IDENTITY = re.compile(
    "|".join(
        (
            r"(?<![A-Za-z0-9])(?P<uuid>(?:GPU|MIG)-[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{1,12}){0,4}+)(?![A-Za-z0-9])",
            rf"(?<![A-Za-z0-9-])(?P<uuid_bare>[0-9A-Fa-f]{{8}}(?:{_HEX4}){{3}}-[0-9A-Fa-f]{{12}})(?![A-Za-z0-9-])",
            rf"(?<![A-Za-z0-9._%+/-])(?P<account>[A-Za-z0-9._%+-]++@(?!sha256:)(?:{_IPV4}|{_NAME}))",
            # perhaps behind a login that is masked already
            r"(?<=://)(?:\[masked\]@|[\udc20-\udc7e]{1,1024}@)?(?P<host_url>[A-Za-z0-9][A-Za-z0-9._-]*+)",
            # NCCL: node01:812:812 [0] NCCL INFO
            rf"(?<![A-Za-z0-9.:_-])(?P<host_nccl>{_NAME})(?=:[0-9]{{1,9}}:[0-9]{{1,9}} \[[0-9])",
            # the header of watch: node01: Mon Nov 30 22:48:31 2026
            rf"(?<= )(?!login:)(?P<host_watch>[A-Za-z0-9][A-Za-z0-9._-]{{0,63}}+)(?=: {_CLOCK})",
            # System log: 22:48:31 node01 kernel: NVRM
            rf"(?<=[0-9Z] )(?!(?:INFO|WARN|ERROR|DEBUG))(?P<host_log>{_NAME})"
            r"(?= (?:kernel|[A-Za-z0-9_.-]{1,32}\[[0-9]{1,9}\]):)",
            # Slurm: srun: error: node01: task 3; STEP 12.0 ON node01 CANCELLED
            rf"(?:srun: error: |(?<=[0-9]) ON )(?P<host_slurm>{_NAME})(?=: task| CANCELLED)",
            # mpirun -H node01:8,node02:8
            rf"(?<= -H )(?P<hosts>{_NAME}(?::[0-9]{{1,4}})?(?:,{_NAME}(?::[0-9]{{1,4}})?)*+)",
            r"(?<![A-Za-z0-9])(?P<host_cloud>ip(?:-[0-9]{1,3}){4}(?:\.[A-Za-z0-9-]++)*+)",
            rf"{_HOST_IS}(?P<host_named>{_NAME})(?![@\\/])",
            rf"{_USER_IS}(?!{_DAY})(?P<user_named>{_NAME})(?![@\\/])",  # not Last login: Mon Nov 30
            # not a version of pip: ==9.1.0.70
            rf"(?<![A-Za-z0-9.-])(?<!==)(?P<address_v4>{_IPV4})(?![A-Za-z0-9]|\.[0-9])",
            # it has a double colon or many single ones; a time of day has two
            r"(?<![A-Za-z0-9:.])(?P<address_v6>(?=(?:[0-9A-Fa-f]{1,4}:){0,7}:|(?:[0-9A-Fa-f]{1,4}:){3})"
            r"[0-9A-Fa-f:]{2,39}+)(?![A-Za-z0-9:]|\.[0-9])",
            r"(?i:serial)(?:[ _-](?i:number|no\.?))?[\"']?[ \t]{0,64}[:=#>]?[ \t]{0,4}[\"']?"
            r"(?P<serial>(?=[A-Za-z-]{0,31}[0-9])[A-Za-z0-9-]{6,32}+)",
            # /dev, /proc and /sys say nothing about their owner; nvidia-smi cuts names in front: ...da3/bin/python
            r"(?:(?<=file://)|(?<![A-Za-z0-9_.~/<*-]))(?!/(?:dev|proc|sys)/)"
            rf"(?P<path_unix>(?:~[A-Za-z0-9_-]*+|\.\.\.{_PART}++|\.{{1,3}}|/{_PART}++)(?:/{_PART}*+)++)",
            r"(?P<path_windows>(?:(?<![A-Za-z0-9])[A-Za-z]:|(?<![A-Za-z0-9\\:])\\\\[A-Za-z0-9_.$-]++"
            r"|(?<![A-Za-z0-9_.])\.\.\.[^\\/:*?\"<>|\s]{0,255}+)"
            r"\\{1,2}"
            r"(?:[^\\/:*?\"<>|\r\n]{1,255}\\{1,2})*+[^\\/:*?\"<>|\s',;)\]]*+)",
            rf"[\\/]{{1,2}}(?i:home|users)[\\/]{{1,2}}(?P<user_home>{_PART}++)",
        )
    )
)
"""A group's name up to its underscore is the kind of what it holds. What stands around the group stays."""

# Each alternative above needs one of these, in lower case, or a match of the pattern; most lines have none.
_SIGNS = (
    *("@", "\\", "://", "gpu-", "mig-", "~", "./", "...", "::", " on ", " -h ", "ip-", "]:", "kernel", "srun"),
    *("host", "node", "addr", "endpoint", "user", "login", "logname", "serial", "/home/", "/users/"),
)
_SHAPE = re.compile(
    r"(?<![A-Za-z0-9_.~/<*-])/[0-9]{0,64}[^\s/0-9][^\s/]{0,255}/|[0-9](?:\.[0-9]{1,3}){2}\.[0-9]|(?:[0-9A-Fa-f]{1,4}:){3}"
    rf"|[0-9A-Fa-f]{{4}}-[0-9A-Fa-f]{{4}}-|:[0-9]{{1,9}} \[[0-9]|: {_CLOCK}"
)


def may_identify(text: str) -> bool:
    """Whether IDENTITY may match somewhere: a test that is fifty times as quick and seldom says yes in vain."""
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS) or _SHAPE.search(text) is not None


# Names that identify nobody, and sites that messages refer readers to.
_NOBODY = re.compile("(?i:localhost|none|null|true|false|auto|unknown|root|user(?:name)?|host(?:name)?)")
_PUBLIC_SITES = (".github.com", ".huggingface.co", ".nvidia.com", ".pytorch.org", ".tensorflow.org", ".wandb.ai")


def is_nobody(name: str) -> bool:
    """Whether this is the name of no user and no host in particular: ``root``, ``localhost``."""
    return _NOBODY.fullmatch(name) is not None


def is_public_site(host: str) -> bool:
    """Whether this is a site for everybody, such as the one that a message refers its reader to."""
    return f".{host.lower()}".endswith(_PUBLIC_SITES)
