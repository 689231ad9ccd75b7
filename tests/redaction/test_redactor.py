"""A redacted capture names nobody, looks as before, and is read as before."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from fixture_pairs import FIXTURES
from hypothesis import example, given
from hypothesis import strategies as st
from redacted import redacted_file, redacted_text

import smianalyze
from smianalyze.columns import FRAMES
from smianalyze.identities import IDENTITY, is_nobody, may_identify
from smianalyze.private_fields import kind_of
from smianalyze.redaction import Redactor
from smianalyze.redaction.painted_text import holds_sequences, redacted_between, redacted_json
from smianalyze.redaction.pseudonyms import width

# Texts that quote a line or may hold a UUID; what they name is replaced.
QUOTES = {"source", "message", "text", "what", "visible_devices"}


def fixtures() -> list[pytest.param]:
    files = [path for path in sorted(FIXTURES.rglob("*")) if path.is_file() and path.parent != FIXTURES]
    found = [path for path in files if path.suffix not in (".json", ".py", ".pyc")]
    return [pytest.param(path, id=str(path.relative_to(FIXTURES))) for path in found]


def values(frame: pd.DataFrame) -> pd.DataFrame:
    """What a frame says but for names."""
    return frame.drop(columns=[name for name in frame if name in QUOTES or kind_of(str(name))])


@pytest.mark.parametrize("capture", fixtures())
def test_redacted_fixture_is_read_as_before(capture: Path, tmp_path: Path) -> None:
    copy = tmp_path / capture.name
    copy.write_bytes(redacted_file(capture))
    before, after = smianalyze.load(capture), smianalyze.load(copy)

    for frame in FRAMES:
        pd.testing.assert_frame_equal(values(getattr(before, frame)), values(getattr(after, frame)))


@pytest.mark.parametrize("capture", fixtures())
def test_redacted_fixture_keeps_its_lines_and_widths(capture: Path) -> None:
    before = capture.read_bytes().decode("utf-8", "replace").split("\n")
    after = redacted_file(capture).decode("utf-8", "replace").split("\n")

    assert [width(line) for line in after] == [width(line) for line in before]


@pytest.mark.parametrize("capture", fixtures())
def test_name_that_a_format_reads_is_not_in_the_redacted_fixture(capture: Path) -> None:
    loaded = smianalyze.load(capture)
    kinds = ("host", "serial", "user", "uuid")
    names = {
        str(name)
        for frame in FRAMES
        for column in getattr(loaded, frame)
        if kind_of(column) in kinds
        for name in getattr(loaded, frame)[column].dropna()
    }
    private = {name for name in names if not is_nobody(name) and name.removeprefix("GPU-").strip("0-x.")}
    words = set(re.findall(r"[\w.-]+", redacted_file(capture).decode("utf-8", "replace")))

    assert {name for name in private if name in words} == set()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("(env) joe@node17:~/work$ nvidia-smi", "(env) u01@host-1:~/d001$ nvidia-smi"),
        ("[joe.b@gpu-node-0001 my project]# ls", "[u0001@host-00000001 my project]# ls"),
        ("GPU-5ebe9f43 and GPU-5ebe9f43-9bc4-0871-3d8f-aaaabbbbcccc", None),
        ('  File "/home/joe/secret/train.py", line 3', '  File "/home/u01/dir-01/train.py", line 3'),
        (
            "/usr/lib/python3.11/site-packages/torch/x.py",
            "/usr/lib/python3.11/site-packages/dir-1/x.py",
        ),
        ("| ...nda3/envs/secret/bin/python  612MiB |", "| ...d001/envs/dir-02/bin/python  612MiB |"),
        ("C:\\Users\\Joe Smith\\x.py", "C:\\Users\\user-0001\\x.py"),
        ("10.0.0.11 fe80::1", "00.0.0.01 0000::1"),
        ("--api-key hunter2 --lr 0.1", "--api-key xxxxxxx --lr 0.1"),
        ("https://joe:pw@git.corp.example/x", "https://xxxxxx@h01.domain-00001/x"),
        ("mpirun -np 16 -H node01:8,node02:8 x", "mpirun -np 16 -H host-1:8,host-2:8 x"),
        ("GPU PDI : 0x353d3d09ebd066d5", "GPU PDI : 0x0000000000000001"),
        ("<pdi>0x353d3d09ebd066d5</pdi>", "<pdi>0x0000000000000001</pdi>"),
        ("<hostname>node17</hostname>", "<hostname>host-1</hostname>"),
        ("Serial Number : N/A", "Serial Number : N/A"),
        ("Cluster UUID : 00000000-0000-0000-0000-000000000000", None),
        ("\x1b[1mnode\x1b[0m17:812:812 [0] NCCL INFO", None),
    ],
)
def test_name_becomes_another_of_the_same_width(line: str, expected: str | None) -> None:
    expected = {
        "GPU-5": "GPU-00000001 and GPU-00000001-0000-0000-0000-000000000000",
        "Clust": line,
        "\x1b[1mn": "\x1b[1mhost\x1b[0m-1:812:812 [0] NCCL INFO",
    }.get(line[:5], expected)

    assert redacted_line(line) == expected


def redacted_line(line: str) -> str:
    redactor = Redactor()
    return redacted_between(line, redactor.line) if holds_sequences(line) else redactor.line(line)


def test_key_block_is_crossed_out_to_its_end_and_no_further() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/IBAAKC\n\nk9=\n-----END RSA PRIVATE KEY-----\nloss 1"

    assert redacted_text(block) == re.sub(r"[^\s]", "x", block.removesuffix("loss 1")) + "loss 1"


def test_log_goes_on_behind_a_key_block_that_is_cut() -> None:
    assert redacted_text("-----BEGIN PRIVATE KEY-----\nMIIEow\nepoch 1, loss 0.5\nok").split("\n")[2:] == [
        "epoch 1, loss 0.5",
        "ok",
    ]


def test_owner_in_a_list_of_processes_is_replaced() -> None:
    listed = """\
    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   4711 train     20   0   12.1g   4.0g 100000 R  99.0   1.0   1:00.00 python
      1 root      20   0  100000   9000   8000 S   0.0   0.0   0:01.00 init

train 5 of 10
"""

    assert redacted_text(listed) == listed.replace("4711 train", "4711 u0001")


def test_numbers_of_a_monitor_are_no_owner() -> None:
    rows = "    0    300     50     60     99     40      0\n    0       2104     C     12      4     88      0 "

    assert redacted_text(rows) == rows


def test_node_of_a_list_of_jobs_is_replaced() -> None:
    listed = "JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)\n812 gpu train joe R 1:02 1 node17\n"

    assert redacted_text(listed).split("\n")[1] == "812 gpu train u01 R 1:02 1 host-1"


def test_serial_in_a_column_is_replaced_and_numbers_beside_it_stay() -> None:
    table = (
        "index, serial, memory.used [MiB]\n0, 1320220012345, 1320220012\n1, [N/A], 2\nloss, 1320220012345, 7, 8"
    )

    assert redacted_text(table).split("\n")[1:3] == ["0, 0000000000001, 1320220012", "1, [N/A], 2"]


def test_number_that_is_also_a_serial_or_a_host_stays() -> None:
    lines = "serial no 143771\nx 2026: Mon Nov 30 20:05:06 2026\n143771 MiB in 2026"

    assert redacted_text(lines).split("\n")[2] == "143771 MiB in 2026"


def test_alias_is_not_taken_for_a_name() -> None:
    redactor = Redactor()
    lines = ["a@host-2:~ x", "b@node17:~ x", "c@host-2:~ x"]

    assert [redactor.line(line) for line in lines] == ["a@host-1:~ x", "b@host-2:~ x", "c@host-1:~ x"]


def test_asciicast_stays_json_and_hides_names() -> None:
    line = '[0.5, "o", "\\u001b[1;60Hnode17: Mon Nov 30 20:05:06 2026\\r\\n/home/\\u5f20\\u4f1f/x.py"]'

    done = redacted_json(line, Redactor().line)

    assert json.loads(done)[2] == "\x1b[1;60Hhost-1: Mon Nov 30 20:05:06 2026\r\n/home/u001/x.py"


@pytest.mark.parametrize("written", ['"\\ud83d\\udc4d ok"', '"\\udc31 ok"', '"\\ud83d ok"', '"\\u00e9\\\\n"'])
def test_escape_in_json_stays_as_it_is_written(written: str) -> None:
    assert redacted_json(written, Redactor().line) == written


def test_title_of_a_terminal_is_redacted() -> None:
    assert redacted_line("\x1b]0;joe@node17: ~/work\x07ok") == "\x1b]0;u01@host-1: ~/d001\x07ok"


PIECES = [
    "node17",
    ":1:2 [0]",
    "joe@",
    "/home/",
    "\\Users\\",
    "://",
    "x",
    " ",
    "1",
    ".",
    "GPU-0000aaaa",
    "-",
    "serial",
    "~",
]
PIECES += [
    "aaaa-aaaa-",
    "0a:",
    "::",
    "host=",
    "--user ",
    "[",
    ": Mon Nov 30 20:05:06",
    "...",
    " ON ",
    "张",
    "\x1b[1;2H",
    '"',
]


@example("0a:0a:")
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_quick_test_never_misses_an_identity(line: str) -> None:
    assert may_identify(line) or IDENTITY.search(line) is None


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=12).map("".join))
def test_any_line_keeps_its_width(line: str) -> None:
    line = line.replace("\n", "").encode("utf-8", "replace").decode()

    assert width(redacted_line(line)) == width(line)


@pytest.mark.parametrize(
    ("told", "line", "expected"),
    [
        ("joe@h200:~$ nvidia-smi", "GPU 0: NVIDIA H200", "GPU 0: NVIDIA H200"),
        ("SLURM_JOB_USER=jdoe42", "(team-jdoe42) jdoe42_run.log jdoe42s", "(team-user-1) user-1_run.log jdoe42s"),
        ("host=node17", "ON node17.corp.example.com", "ON host-1.domain-000000001"),
        ("host=node17", "node17.tar node17-eth0", "host-1.tar host-1-eth0"),
        ("serial: 15620230", "15620230.5 is a number", "15620230.5 is a number"),
        ("", "Last login: Mon Nov 30 19:00:00 2026", "Last login: Mon Nov 30 19:00:00 2026"),
    ],
)
def test_name_that_was_met_is_known_as_a_piece_of_a_word(told: str, line: str, expected: str) -> None:
    redactor = Redactor()
    redactor.line(told)

    assert redactor.line(line) == expected


WRAPPED = "GPU 0: NVIDIA H200 (UUID: GPU-5f3a9c1e-8d2b-4e6f-a1b2-0c9d8e7f6a5b)"


@pytest.mark.parametrize("at", range(WRAPPED.index("GPU-") + len("GPU-5"), len(WRAPPED) - len("b)")))
@pytest.mark.parametrize("edge", ["", "> ", "| "])
def test_end_of_a_wrapped_uuid_is_replaced(at: int, edge: str) -> None:
    redactor = Redactor()
    first, second = redactor.line(WRAPPED[:at] + edge.rstrip(" >")), redactor.line(edge + WRAPPED[at:])

    assert set(second.strip("|> )")) <= {"0", "-"}
    assert len(second) == len(edge + WRAPPED[at:])
    assert first.startswith("GPU 0: NVIDIA H200 (UUID: GPU-")


def test_number_behind_a_uuid_that_is_cut_stays() -> None:
    redactor = Redactor()
    redactor.line("GPU-5f3a9c1e-8d2b")

    assert redactor.line("12345678 MiB") == "12345678 MiB"
