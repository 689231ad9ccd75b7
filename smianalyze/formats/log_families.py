"""Whose line it is: frameworks told apart by the keys that they print, and what a key means with one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Family(NamedTuple):
    """A framework's line.

    Attributes:
        name: Value of the column ``format``.
        needs: Names of keys that must be there.
        first: Name of the first key, "" for any.
        renamed: Keys that mean something else here.
    """

    name: str
    needs: frozenset[str]
    first: str = ""
    renamed: tuple[tuple[str, str], ...] = ()


def _family(name: str, needs: str = "", *, first: str = "", **renamed: str) -> Family:
    return Family(name, frozenset(needs.split()), first, tuple(renamed.items()))


SCHEDULE = "schedule"  # DeepSpeed's line of learning rates, which stands beside a record

# from the most to the least specific
_FAMILIES = (
    _family("megatron", "elapsed_time_per_iteration"),
    _family("fairseq", "wps"),
    _family("fairseq", "s_checkpoint"),
    _family("deepspeed", "currsamplespersec"),
    _family(SCHEDULE, "skipped lr"),
    _family("yolox", "gpu_mem mem", mem="host_mem"),
    _family("maskrcnn_benchmark", "eta time data max_mem", first="eta"),
    _family("detectron2", "eta iter time", first="eta"),
    _family("mmengine", "time", first="epoch_train"),
    _family("mmengine", "time", first="iter_train"),
    _family("mmcv", "data_time memory"),
    _family("paddleocr", "global_step avg_batch_cost"),
    _family("paddledetection", "batch_cost data_cost"),
    _family("paddleocr", "iter batch_cost reader_cost samples"),
    _family("paddleseg", "batch_cost data_reader_cost"),
    _family("paddleseg", "batch_cost reader_cost"),
    _family("paddle", "avg_batch_cost"),
    _family("paddle", "ips"),
    _family("metric_logger", "time data max_mem"),
    _family("metric_logger", "time data eta", first="epoch"),
    _family("timm", "lr data time", first="train"),
    _family("swin", "eta time mem", first="train"),
    _family("pytorch_imagenet", "time loss data", first="epoch"),
    _family("pytorch_imagenet", "time loss speed", first="epoch"),
    _family("pytorch_imagenet", "time loss prec_1", first="epoch"),
    _family("pytorch_imagenet", "time loss acc_1", first="epoch"),
    _family("torchtitan", "tps memory"),
    _family("maxtext", "tflop_s_device"),
    _family("nemo", "reduced_train_loss"),
    _family("flair", "iter loss time samples_sec", first="epoch", time="elapsed"),  # since the epoch began
    _family(
        "torchtune",
        "tokens_per_second_per_gpu",
        peak_memory_active="memory/max_active(gib)",
        peak_memory_alloc="memory/max_allocated(gib)",
        peak_memory_reserved="memory/device_reserved(gib)",
    ),
    _family("nanochat", "lrm tok_sec"),
    _family("tensorflow", "step", first="loss"),
    _family("paddleseg", "step_sec"),
    _family("nanogpt", "loss time", first="iter"),
    _family("llm.c", "loss norm lr", first="step"),
    _family("verl", "timing_s_step"),
    _family("vllm", "avg_generation_throughput"),
    _family("sglang", "gen_throughput"),
)
ESPNET = _family("espnet", iter_time="data_time")
_GENERIC = _family("generic")


def family_of(keys: Sequence[str]) -> Family:
    """The family of a line by the names of its keys in order; ``generic`` for one that nobody knows."""
    names = set(keys)
    first = next(filter(None, keys), "")
    return next((one for one in _FAMILIES if one.needs <= names and one.first in {"", first}), _GENERIC)
