"""Commands and lines of a log that say which GPUs a job may see and how many ranks it starts.

Each becomes an event of kind ``launch``. ``visible_devices`` maps the logical GPU numbers of a log to those of
nvidia-smi: with ``2,3`` the job's GPU 0 is nvidia-smi's GPU 2. A command that a manual shows is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from smianalyze.formats import log_settings
from smianalyze.formats.format import Format, Reading, Row
from smianalyze.formats.log_label import is_quoted, labelled
from smianalyze.formats.log_marks import Log, Message
from smianalyze.formats.log_settings import settings_in
from smianalyze.reader import LineReader
from smianalyze.repair import Line

MARKS = (
    *("CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "LOCAL_RANK: ", "os.environ", "os.putenv(", "setenv "),
    *("set -gx ", "'CUDA_VISIBLE_DEVICES'", '"CUDA_VISIBLE_DEVICES"'),
    *("torchrun ", "torch.distributed.launch ", "torch.distributed.run ", "paddle.distributed.launch "),
    *("accelerate launch ", "deepspeed ", "horovodrun ", "mpirun ", "srun ", "docker run "),
    *("WORLD INFO DICT", "nnodes=", "nproc_per_node ", "gpu_ids"),
)
_WORDS = ("VISIBLE_DEVICES", "torchrun", "launch", "distributed.run", "deepspeed", "horovodrun", "mpirun")
_MORE_WORDS = ("docker run", "srun ", "WORLD INFO", "num_local_procs", "nproc_per_node", "gpu_ids")
_PROGRAMS = (
    *("python", "torchrun", "accelerate", "deepspeed", "bash", "sh", "nohup", "sudo", "./", "/", "mpirun"),
    *("horovodrun", "srun", "docker", "uv", "poetry", "conda", "nsys", "ncu", "numactl", "time", "taskset", "env"),
    *("vllm", "lightning", "fairseq", "ray", "colossalai", "llamafactory", "swift", "tune", "axolotl", "exec"),
)
_BEFORE_A_COMMAND = {
    *("export", "set", "setenv", "env", "declare", "-x", "sudo", "nohup", "time", "exec", "Setting", "-m", "-e"),
    *("--env", "&&", "-gx", "%env", "!"),
}
_LEVELS = {"DEBUG", "INFO", "NOTICE", "WARNING"}  # a logger's words before what a program prints
_ENDS_OF_A_PROMPT = ("$", "#", ">", "%", "+", "]", ":", "|", ")", ";", "=", "-", "{")
_ENDS_OF_A_VALUE = (",", "}", ")", ";", "#", "&", "]")
_MANUALS = ("```bash", "```sh", "```shell", "```console", "```zsh", "```py")
_MAX_LINES_OF_A_COMMAND = 40
_MOST_GPUS = 1_024  # of a range; a longer one is no list of GPUs
_CONTAINER = "docker run"
_TAKE_GPUS = ("accelerate launch", "paddle.distributed.launch")
_START_WITH_NP = ("horovodrun", "mpirun")


def _recognises(text: str) -> bool:
    return any(map(text.__contains__, _WORDS)) or any(map(text.__contains__, _MORE_WORDS))


LINES = LineReader("log_launch.lark", bool)


def _read(lines: Sequence[Line], *, open_end: bool) -> Reading:
    reading = Reading()
    joined, numbers = _continued(lines)
    log = Log(joined, open_end)
    manual = _places_in_a_manual(log)
    settings = {
        message.place: settings_in(message) for message in log.messages(log_settings.MARKS, log_settings.LINES)
    }
    for message in log.messages(MARKS, LINES):
        row = {} if message.place in manual or is_quoted(message.prefix) else _event(message)
        if row:
            line = joined[message.place].number
            reading.used.update([line, *numbers.get(message.place, ())])
            said = settings.get(message.place, {})
            event = {"line": line, "kind": "launch", **labelled(message.prefix), **row, **said}
            reading.add("events", {**event, "message": message.printed()})
    return reading


def _continued(lines: Sequence[Line]) -> tuple[Sequence[Line], dict[int, list[int]]]:
    """The lines, with those joined that a backslash continues, and by place the numbers of the lines joined."""
    if not any(line.text.endswith("\\") for line in lines):
        return lines, {}
    joined: list[Line] = []
    numbers: dict[int, list[int]] = {}
    goes_on = False
    for line in lines:
        place = len(joined) - 1
        if goes_on and len(numbers.setdefault(place, [])) < _MAX_LINES_OF_A_COMMAND:
            joined[-1] = joined[-1]._replace(text=f"{joined[-1].text[:-1].rstrip()} {line.text.strip()}")
            numbers[place].append(line.number)
        else:
            joined.append(line)
        goes_on = line.text.endswith("\\")
    return joined, numbers


def _places_in_a_manual(log: Log) -> set[int]:
    """Places of the lines inside a fence of commands or code: a manual's example, which nobody ran."""
    inside: set[int] = set()
    fences = list(log.marked(("```",)))
    for start, end in zip(fences, [*fences[1:], len(log.lines)], strict=False):
        if log.text(start).strip().startswith(_MANUALS):
            inside.update(range(start, end))
    return inside


def _event(message: Message) -> Row:
    """What a message says of a launch; empty where it is prose or says nothing."""
    cells = dict(message.cells())
    if message.shape.kind in ("", "command", "said") and not _may_be_command(message):
        return {}
    if message.shape.kind in ("", "command"):
        return _of_command(message, cells)
    row: Row = {}
    if "first" in cells:
        gpus = range(int(cells["first"]), int(cells["past"]))
        row["visible_devices"] = ",".join(map(str, gpus)) if len(gpus) <= _MOST_GPUS else None
    elif "visible_devices" in cells and _ends_after(message, "visible_devices"):
        row["visible_devices"] = _devices(cells["visible_devices"])
    if "local_rank" in cells:
        row["local_rank"] = int(cells["local_rank"])
    if "nproc_per_node" in cells:
        row["nproc_per_node"] = cells["nproc_per_node"]
    return row if row.keys() & {"visible_devices", "nproc_per_node"} else {}


def _of_command(message: Message, cells: Mapping[str, str]) -> Row:
    launcher = cells.get("launcher", "")
    if launcher == _CONTAINER and not message.text.endswith("\n"):
        return {}  # more of its GPUs may have followed
    row: Row = {}
    named = {
        "assigned": not (launcher == _CONTAINER and "docker_gpus" in cells),
        "nothing": True,
        "included": launcher == "deepspeed",
        "docker_gpus": launcher == _CONTAINER,
        "launcher_gpus": launcher in _TAKE_GPUS,
    }
    found = next((name for name, counts in named.items() if counts and name in cells), None)
    if "assigned" in cells and not (_is_told_to_launcher(cells) or _runs_after(message, "assigned")):
        return {}
    if found is not None:
        row["visible_devices"] = "" if found == "nothing" else _devices(cells[found])
    if found == "docker_gpus" and "assigned" in cells and _is_told_to_launcher(cells):
        row["visible_devices"] = _of_those(str(row["visible_devices"]), _devices(cells["assigned"]))
    if launcher in _START_WITH_NP and "np" in cells:
        row |= _of_np(message, cells)
    elif launcher and (cells.keys() & {"nproc_per_node", "processes"}):
        row["nproc_per_node"] = cells.get("nproc_per_node", cells.get("processes"))
    if found and "world_size" in cells:
        row["world_size"] = int(cells["world_size"]) if cells["world_size"].isdigit() else None
    return row


def _is_told_to_launcher(cells: Mapping[str, str]) -> bool:
    """Whether an assignment is an argument of a launcher before it: ``docker run -e``, ``mpirun -x``."""
    names = list(cells)
    return "launcher" in names and names.index("launcher") < names.index("assigned")


def _of_those(gpus: str, numbers: str) -> str | None:
    """GPUs that a container has, as far as the program in it may see them by their numbers there."""
    listed, places = gpus.split(","), numbers.split(",")
    is_known = all(place.isdigit() and int(place) < len(listed) for place in places)
    return ",".join(listed[int(place)] for place in places) if is_known else None


def _of_np(message: Message, cells: Mapping[str, str]) -> Row:
    """Ranks that ``-np`` starts: of the job where it names several hosts, else of this host."""
    if "," in cells.get("hosts", ""):
        return {"world_size": int(cells["np"])}
    is_whole = message.text.endswith("\n")  # else hosts may have followed
    return {"nproc_per_node": cells["np"]} if is_whole else {}


def _devices(text: str) -> str:
    """``'2,3'``, ``[2, 3]`` and ``device=2,3`` as ``2,3``."""
    return text.strip("\"'[]").removeprefix("device=").strip("\"'").replace(" ", "")


def _may_be_command(message: Message) -> bool:
    """Whether only a prompt, a label, an interpreter and assignments stand before a message."""
    words = message.prefix.split()
    while words and (words[-1] in _BEFORE_A_COMMAND or "=" in words[-1] or words[-1].startswith("python")):
        words.pop()
    if not words or words[-1].endswith(_ENDS_OF_A_PROMPT) or words[-1].startswith(_PROGRAMS):
        return True
    if words[-1] in _LEVELS:
        return True
    return ":" in words[-1] and words[-1][0].isdigit()  # a clock


def _rest(message: Message, column: str) -> str:
    end = next(end for name, _, end in message.shape.columns if name == column)
    return message.text[end:].strip()


def _runs_after(message: Message, column: str) -> bool:
    """Whether a program, another assignment or nothing follows an assignment: prose goes on with a word."""
    words = _rest(message, column).split()
    if not message.text.endswith("\n"):  # the last word is cut, and what a container gets may have followed
        words = [] if any("docker".startswith(word) for word in words) else words[:-1]
        if not words:
            return False
    return not words or "=" in words[0] or words[0].startswith((*_PROGRAMS, *_ENDS_OF_A_VALUE))


def _ends_after(message: Message, column: str) -> bool:
    rest = _rest(message, column)
    return not rest or rest.startswith(_ENDS_OF_A_VALUE) or rest.startswith("[default")


def format_for(*, open_end: bool = False) -> Format:
    """The format, told whether the text ends without a line end, so that its last value may be cut."""
    return Format(
        name="log_launch",
        reach=45,  # a command that backslashes continue
        title="launch commands and visible GPUs in a log",
        command="torchrun",
        sample="CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc_per_node=2 train.py\n",
        recognises=_recognises,
        read=partial(_read, open_end=open_end),
    )


FORMAT = replace(format_for(), told=lambda told: format_for(open_end=told.open_end))
