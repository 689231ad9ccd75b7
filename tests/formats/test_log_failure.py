from __future__ import annotations

import random
from pathlib import Path

import pytest
from fixture_pairs import captures, check_pair

from smianalyze.reading import read_rows
from smianalyze.source import from_text

CUTS = 150
NOT_COMPARED = ("message", "source", "other_processes")


def events_of(text: str) -> list[dict[str, object]]:
    """The events of a text, without what is unknown and without the message itself."""
    events = read_rows([from_text(text)]).get("events", [])
    return [
        {key: value for key, value in row.items() if value is not None and key not in NOT_COMPARED}
        for row in events
    ]


@pytest.mark.parametrize("capture", captures("log_failure"))
def test_fixture_is_read_as_expected(capture: Path, update_fixtures: bool) -> None:
    check_pair(capture, update=update_fixtures)


@pytest.mark.parametrize("capture", captures("log_failure"))
def test_cut_anywhere_gives_no_other_number(capture: Path) -> None:
    text = capture.read_text(encoding="utf-8")
    whole = {event["line"]: event for event in events_of(text)}
    places = random.Random(capture.name).choices(range(1, len(text)), k=CUTS)  # noqa: S311 - a fixed seed

    wrong = {
        place: event
        for place in places
        for event in events_of(text[:place])
        if not event.items() <= whole.get(event["line"], {}).items()
    }

    assert wrong == {}


def test_xid_keeps_its_code_card_process_and_time() -> None:
    line = (
        "[Fri Aug 30 10:23:37 2024] NVRM: Xid (PCI:0000:cb:00): 79, pid=17, name=x, GPU has fallen off the bus.\n"
    )
    (event,) = events_of(line)

    assert (event["kind"], event["code"], event["pci_bus_id"], event["pid"]) == ("xid", "79", "0000:cb:00", 17)
    assert str(event["time"]) == "2024-08-30 10:23:37"


@pytest.mark.parametrize(
    ("line", "kind", "code"),
    [
        ("NVRM: Xid (0000:03:00): 62, 0cb5(2d50) 8503d428", "xid", "62"),
        ("NVRM: GPU at 0000:03:00.0 has fallen off the bus.", "gpu_lost", None),
        ("RuntimeError: NCCL Error 3: internal error", "nccl_error", None),
        ("RuntimeError: NCCL communicator was aborted on rank 5. Original reason: timeout", "nccl_error", None),
        ("ncclSystemError: System call (socket, malloc) failed.", "nccl_error", "ncclSystemError"),
        ("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "worker_failed", None),
        ("OSError: [Errno 28] No space left on device: '/dev/shm/abc'", "shm_full", None),
        ("Rank 0: found NaN in local forward loss calculation", "nan_loss", None),
    ],
)
def test_older_and_rarer_wordings_are_known(line: str, kind: str, code: str | None) -> None:
    (event,) = events_of(f"{line}\nnext\n")

    assert (event["kind"], event.get("code")) == (kind, code)


def test_timeout_that_all_ranks_report_is_one_event() -> None:
    line = (
        "[rank{0}]:[E817 11:45:22 x.cpp:607] [Rank {0}] Watchdog caught collective operation timeout: "
        "WorkNCCL(SeqNum=2165, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600036 milliseconds.\n"
    )
    (event,) = events_of("".join(line.format(rank) for rank in (3, 0, 1)))

    assert (event["kind"], event["rank"], event["timeout_ms"]) == ("nccl_timeout", 3, 600000.0)


def test_no_skipped_iteration_is_no_event() -> None:
    line = " iteration 2/ 100 | number of skipped iterations:   {} | number of nan iterations:   0 |\n"

    assert [event["kind"] for event in events_of(line.format(0) + line.format(2))] == ["skipped_iterations"]


KERNEL_LOG = """\
[    0.000000] Linux version 5.15.0-91-generic (builder@host) (gcc 11.4.0) #101-Ubuntu SMP
[    2.114201] nvidia: loading out-of-tree module taints kernel.
[    2.301223] NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024
[   10.512345] EXT4-fs (nvme0n1p2): re-mounted. Opts: errors=remount-ro
[   11.000312] NVRM: GPU at PCI:0000:39:00: GPU-00000000-1111-2222-3333-444444444444
"""
PIP_INSTALL = """\
Collecting torch==2.1.0
  Downloading torch-2.1.0-cp310-cp310-manylinux1_x86_64.whl (670.2 MB)
     ---------------------------------------- 670.2/670.2 MB 2.1 MB/s eta 0:00:00
Collecting nvidia-nccl-cu12==2.18.1
  Downloading nvidia_nccl_cu12-2.18.1-py3-none-manylinux1_x86_64.whl (209.8 MB)
Successfully installed torch-2.1.0 deepspeed-0.12.3 accelerate-0.24.1
"""
README = """\
## Out of memory
If you see `RuntimeError: CUDA out of memory`, lower `--batch-size`. Loss is printed every 10 steps.
- `DataLoader worker (pid 12) is killed by signal: Bus error` means that /dev/shm is too small.
Set CUDA_VISIBLE_DEVICES=0 to use a single GPU, or see [NCCL](docs/nccl.md) for ncclSystemError.
"""
C_SOURCE = """\
#define CHECK(x) if ((x) != cudaSuccess) fprintf(stderr, "CUDA error: %s\\n", cudaGetErrorString(x))
    case cudaErrorMemoryAllocation: return "out of memory";
    /* ncclUnhandledCudaError: a call to a CUDA function failed */
    if (isnan(loss)) printf("loss is nan\\n");
    NCCLCHECK(ncclCommInitRank(&comm, nranks, id, rank));
"""
PYTHON_SOURCE = """\
class OutOfMemoryError(RuntimeError):
    pass
try:
    x = torch.empty(n)
except MemoryError:
    raise RuntimeError("CUDA error: an illegal memory access was encountered") from None
warnings.warn("This DataLoader will create %d worker processes in total." % n)
if not math.isfinite(loss): print("Loss is {}, stopping training".format(loss))
"""
GIT_LOG = """\
commit 8f1c2d3e4b5a69788796a5b4c3d2e1f0a1b2c3d4
    Fix nan loss in mixed precision, handle ncclTimeout: raise instead of hang
    Avoid MemoryError: read in chunks
"""
PROSE = "The worker failed because the process ran out of memory. Allocation of buffers is lazy.\n"
CHANGELOG = (
    "- Fixed: CUDA error: an illegal memory access when batch is empty\n* DataLoader worker (pid 3) leak fixed\n"
)
WEB_SERVER = '10.0.0.7 - - [12/Feb/2026:03:14:07 +0000] "GET /nccl/error?loss=nan HTTP/1.1" 200 5123\n'
YAML = "resources:\n  limits:\n    nvidia.com/gpu: 2\nenv:\n  - name: NCCL_DEBUG\n    value: INFO\n"
COMPILER = (
    "[ 43%] Building CUDA object src/CMakeFiles/nccl.dir/oom.cu.o\nnvcc warning : nan literal in device code\n"
)
CSV = "step,loss,memory\n1,2.31,1024\n2,nan,1024\n"
JSON = '{"name": "oom-killer", "description": "detects Out of memory events", "worker": {"failed": false}}\n'
TRACE = 'Traceback (most recent call last):\n  File "memory.py", line 3, in <module>\nValueError: shape mismatch\n'
SYSTEMD = (
    "Feb 12 03:14:07 host systemd[1]: Started Session 41 of user user1.\nFeb 12 host sshd: Accepted publickey\n"
)
FOREIGN = {
    name.lower(): text
    for name, text in globals().items()
    if isinstance(text, str) and name.isupper() and name not in ("CUTS",)
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_foreign_text_gives_no_event(text: str) -> None:
    assert events_of(text) == []
