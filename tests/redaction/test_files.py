"""``smianalyze redact``: what it prints, where it writes, and how it ends."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

from smianalyze.redaction import Redactor
from smianalyze.redaction.files import printed
from smianalyze.source import open_inputs

LINE = b"node17:812:812 [0] NCCL INFO Launch mode Parallel\r\n"
REDACTED = b"host-1:812:812 [0] NCCL INFO Launch mode Parallel\r\n"


def redact(*arguments: str, given: bytes = b"", folder: Path) -> subprocess.CompletedProcess[bytes]:
    command = Path(sys.executable).with_name("smianalyze")
    return subprocess.run(
        [command, "redact", *arguments], input=given, capture_output=True, cwd=folder, check=False
    )


def test_input_comes_out_byte_for_byte_but_for_names(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"\xc3( is no UTF-8\n" + LINE + b"no end")

    done = redact("a.log", folder=tmp_path)

    assert done.stdout == b"\xc3( is no UTF-8\n" + REDACTED + b"no end"
    assert done.stderr.startswith(b"Replaced: 1 host. This is a guess")
    assert done.returncode == 0


def test_standard_input_is_redacted(tmp_path: Path) -> None:
    done = redact("-", "--quiet", given=LINE, folder=tmp_path)

    assert (done.stdout, done.stderr) == (REDACTED, b"")


def test_name_is_known_before_the_line_that_tells_it(tmp_path: Path) -> None:
    done = redact("-", given=b"starting on node17\n" + LINE, folder=tmp_path)

    assert done.stdout.startswith(b"starting on host-1\n")


def test_compressed_input_is_unpacked_and_told(tmp_path: Path) -> None:
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(LINE))

    done = redact("a.log.gz", folder=tmp_path)

    assert done.stdout == REDACTED
    assert done.stderr.startswith(b"Unpacked from gzip.\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "gb18030"])
def test_encoding_stays(encoding: str, tmp_path: Path) -> None:
    text = "结束 node17:812:812 [0] NCCL INFO 完成 at /home/张伟/项目/train.py\n" * 20
    (tmp_path / "a.log").write_bytes(text.encode(encoding))

    done = redact("a.log", folder=tmp_path).stdout.decode(encoding)

    assert done == "结束 host-1:812:812 [0] NCCL INFO 完成 at /home/u001/d001/train.py\n" * 20


def test_half_character_at_the_end_of_utf_16_stays(tmp_path: Path) -> None:
    given = "node17:812:812 [0] NCCL INFO\n".encode("utf-16-le") * 20 + b"a"
    (tmp_path / "a.log").write_bytes(given)

    done = redact("a.log", folder=tmp_path).stdout

    assert done == "host-1:812:812 [0] NCCL INFO\n".encode("utf-16-le") * 20 + b"a"


def test_several_inputs_share_their_names_and_go_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / "node17.log").write_bytes(b"node18:1:1 [0] NCCL INFO\n" + LINE)
    (tmp_path / "b.log").write_bytes(LINE)

    done = redact("node17.log", "b.log", "-o", "out", folder=tmp_path)

    assert done.returncode == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {
        "host-2.log": b"host-1:1:1 [0] NCCL INFO\nhost-2" + REDACTED[6:],
        "b.log": b"host-2" + REDACTED[6:],
    }


def test_several_inputs_need_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)

    done = redact("a.log", "a.log", folder=tmp_path)

    assert (done.returncode, done.stdout) == (2, b"")


def test_what_is_there_is_not_replaced_without_force(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(LINE)
    (tmp_path / "mine").write_bytes(b"mine")

    refused = redact("a.log", "-o", "mine", folder=tmp_path)
    kept = (tmp_path / "mine").read_bytes()
    forced = redact("a.log", "-o", "mine", "--force", folder=tmp_path)

    assert (refused.returncode, kept) == (2, b"mine")
    assert (forced.returncode, (tmp_path / "mine").read_bytes()) == (0, REDACTED)


def test_no_half_file_is_left_where_an_input_is_damaged(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(LINE * 100_000, mtime=0))
    packed[-6] ^= 0xFF  # of its checksum
    (tmp_path / "a.gz").write_bytes(packed)

    done = redact("a.gz", "-o", "out.log", folder=tmp_path)

    assert done.returncode == 5
    assert [path.name for path in tmp_path.iterdir()] == ["a.gz"]


def test_what_is_not_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(bytes(range(256)) * 20)

    assert redact("a.png", folder=tmp_path).returncode == 5


def test_word_that_only_the_user_knows_is_replaced(tmp_path: Path) -> None:
    done = redact("-", "--also", "Bluebird", given=b"run bluebird on GPU 0\n", folder=tmp_path)

    assert done.stdout == b"run word-001 on GPU 0\n"


def test_columns_of_a_csv_without_header_may_be_named(tmp_path: Path) -> None:
    done = redact("-", "--csv-columns", "index,serial", given=b"0, 1320220012345\n", folder=tmp_path)

    assert done.stdout == b"0, 0000000000001\n"


def test_level_all_hides_programs_and_none_hides_nothing(tmp_path: Path) -> None:
    row = b"|    0   N/A  N/A            1234      C   trainer                            1234MiB |\n"

    assert b"   proc-01  " not in redact("-", given=row, folder=tmp_path).stdout
    assert redact("-", "--mask", "all", given=row, folder=tmp_path).stdout == row.replace(b"trainer", b"p000001")
    assert redact("-", "--mask", "none", given=LINE, folder=tmp_path).stdout == LINE


def test_terminal_gets_no_control_characters() -> None:
    (source,) = open_inputs(io.BytesIO(b"a\tb\x1b]52;c;Zm9v\x07\x9b31m\r\n\xe2\x80\xaec\n"))
    shown = "".join(map(str, printed(source, Redactor(), [], on_terminal=True)))

    assert shown == "a       b\\x1b]52;c;Zm9v\\x07\\udc9b31m\n\\u202ec\n"
