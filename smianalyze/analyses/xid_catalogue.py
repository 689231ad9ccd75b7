"""What the numbers of Xid messages mean, and whose fault each is.

The numbers and what they stand for follow NVIDIA's public Xid catalogue (docs.nvidia.com/deploy/xid-errors); the
words are our own. Where the catalogue leaves two causes open, so does the table.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from smianalyze.findings import Severity
from smianalyze.language import text

Fault = Literal["job", "driver", "card", "link", "job or driver", "driver or card", "unknown"]
Remedy = Literal["debug", "restart", "reset", "reboot", "replace", "seat", "watch", "update", "look up"]


class Xid(NamedTuple):
    """One number of the catalogue.

    Attributes:
        meaning: What happened, as the second half of a sentence.
        fault: Where the cause is.
        remedy: What to do first.
        severity: What it costs.
    """

    meaning: str
    fault: Fault
    remedy: Remedy
    severity: Severity = "high"


_BAD_COMMANDS = Xid(text("the card was sent commands that make no sense"), "job or driver", "debug", "medium")
_COPY = Xid(text("copying between memories failed"), "job or driver", "restart", "medium")
_VIDEO = Xid(text("decoding or encoding of video failed"), "job or driver", "restart", "medium")
_PICTURES = Xid(text("decoding of JPEG pictures failed"), "job or driver", "restart", "medium")
_NVLINK = Xid(text("the NVLink connection to another card failed"), "link", "reset")
_FIRMWARE = Xid(text("the firmware of the card reported an error and went on"), "driver", "watch", "low")
_PEER = Xid(
    text("memory of another card was asked for and could not be reached, mostly as the job there had ended"),
    "job",
    "restart",
    "medium",
)
_TEST = Xid(text("somebody sent a test message"), "unknown", "watch", "info")
_RESERVE = Xid(text("a bad place of memory was replaced by a spare one"), "card", "watch", "low")

XIDS: dict[int, Xid] = {
    8: Xid(text("the card stopped working on a task"), "job or driver", "restart"),
    **dict.fromkeys((11, 25, 32, 69, 80), _BAD_COMMANDS),
    13: Xid(
        text("GPU code of the job broke a rule, mostly by an index outside of an array"), "job", "debug", "medium"
    ),
    14: _TEST,
    31: Xid(text("GPU code of the job used an address that holds no memory of it"), "job", "debug", "medium"),
    **dict.fromkeys((37, 38, 44, 66, 67, 141), _FIRMWARE),
    **dict.fromkeys((39, 40, 41, 70, 71, 72, 75, 76, 77, 85, *range(126, 136)), _COPY),
    43: Xid(text("the job made an error and was stopped; the card itself is well"), "job", "debug", "medium"),
    45: Xid(text("the driver cleaned up after a program that failed or was ended"), "job", "restart", "medium"),
    46: Xid(text("the card stopped answering the driver"), "driver or card", "reset"),
    48: Xid(text("memory of the card lost data that it could not repair (two wrong bits)"), "card", "reset"),
    54: Xid(text("a power cable of the card is missing or loose, so it runs slowly"), "card", "seat"),
    60: Xid(text("the security processor of the card failed"), "driver", "restart", "medium"),
    **dict.fromkeys((61, 62), Xid(text("the power controller of the card stopped"), "driver or card", "reset")),
    63: _RESERVE,
    64: Xid(text("a bad place of memory could not be replaced by a spare one"), "card", "replace"),
    **dict.fromkeys((65, 68, 83, 84, 86, 88, 89, 96, 97, 98, 139, 142), _VIDEO),
    74: _NVLINK,
    78: Xid(
        text("a virtual GPU could not be started: the versions on host and guest do not fit"), "driver", "update"
    ),
    79: Xid(text("the card has fallen off the bus: the host cannot reach it any more"), "card", "reboot"),
    **dict.fromkeys((82, *range(99, 106)), _PICTURES),
    92: Xid(text("memory of the card repairs single wrong bits unusually often"), "card", "watch", "low"),
    93: Xid(text("the store for the card's own records is written too often"), "card", "watch", "low"),
    94: Xid(
        text("memory of the card lost data; only one program was hit and has to start again"), "card", "restart"
    ),
    95: Xid(text("memory of the card lost data; every program on it may have wrong numbers"), "card", "reset"),
    **dict.fromkeys((106, 107), _TEST),
    **dict.fromkeys((108, 137), _PEER),
    109: Xid(text("the card could not switch from one program to the next in time"), "driver or card", "reset"),
    110: Xid(text("a part of the card did something that its security rules forbid"), "driver or card", "reset"),
    **dict.fromkeys(
        (119, 120),
        Xid(text("the processor that runs the driver's part on the card hangs or failed"), "driver", "reset"),
    ),
    121: Xid(text("the connection between processor and card had an error and went on"), "card", "watch", "low"),
    **dict.fromkeys(
        (122, 123), Xid(text("the card could not read or write its flash memory"), "driver or card", "reset")
    ),
    136: Xid(text("an NVLink connection could not be set up"), "link", "reset"),
    140: Xid(text("memory of the card lost data, and the driver could not limit the damage"), "card", "reset"),
    143: Xid(text("the card could not be started"), "card", "reset"),
    **dict.fromkeys((*range(144, 151), 155), _NVLINK),
    151: Xid(text("keys of the confidential mode could not be renewed"), "driver", "reboot"),
    154: Xid(text("the driver says what the card needs after another error"), "card", "reset"),
    156: Xid(text("a bad part of the card was taken out of use, which needs a reset"), "card", "reset", "medium"),
    157: Xid(text("a bad part of the card could not be taken out of use"), "card", "replace"),
    158: Xid(text("the card did not answer in time and is not usable"), "driver or card", "reset"),
    160: Xid(text("a bad channel of memory was taken out of use"), "card", "watch", "medium"),
    161: Xid(text("a bad channel of memory could not be taken out of use"), "card", "replace"),
    167: Xid(text("the card did not answer over PCIe in time"), "card", "reboot"),
    168: Xid(text("the card offers less memory than it was built with"), "card", "watch", "medium"),
    **dict.fromkeys(
        (171, 172), Xid(text("memory of the card lost data that it could not repair"), "card", "reset")
    ),
}

UNLISTED = Xid(text("this number is in no list that we know"), "unknown", "look up", "medium")
