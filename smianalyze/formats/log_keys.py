"""What the keys of training logs mean: printed key to the column of ``steps``.

A key that is not here becomes a column under its own name in snake_case.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MAX_KEY = 80  # characters; a longer one is no name of a metric

_SAME: dict[str, str] = {
    "epoch": "epoch training_epoch train_epoch epochs",
    "step": "iter iteration iters step steps batch batch_id batch_idx current_steps completed_step local_step",
    "global_step": "global_step num_updates",
    "total_steps": "total_steps max_steps",
    "lr": "lr learning_rate lr_0 actor_lr current_lr train_lr cur_lr",
    "grad_norm": "grad_norm gnorm norm actor_grad_norm gradient_norm total_norm train_grad_norm global_grad_norm",
    "step_time_s": (
        "time batch_time iter_time iteration_time step_time batch_cost avg_batch_cost elapsed_time_per_iteration "
        "dt seconds batch_t timing_s_step train_step_timing train_step_timing_in_s time_iter time_per_step "
        "secs_per_step sec_iter sec_step s_it s_iter time_per_iteration ms_per_step step_time_s time_step "
        "sec_batch s_batch s_step sec_per_step sec_per_batch time_per_batch"
    ),
    "step_time_last_s": "last_time",
    "data_time_s": (
        "data data_time data_t reader_cost avg_reader_cost data_cost dataload_time data_load_time "
        "dataloading_time train_dataloading_s load_time data_wait_time data_reader_cost"
    ),
    "data_time_last_s": "last_data_time",
    "steps_per_s": "ups steps_s step_sec steps_sec it_s iter_s iters_s steps_per_second steps_per_sec",
    "samples_per_s": (
        "img_s imgs_s images_s ips avg_ips speed samples_per_second samples_s samples_sec currsamplespersec "
        "samples_per_sec images_per_sec images_sec imgs_sec img_sec examples_s examples_sec"
    ),
    "samples_per_s_avg": "runningavgsamplespersec",
    "tokens_per_s": (
        "tps tok_sec tok_s tgs wps tokens_per_second_per_gpu tokens_s_device tokens_per_gpu_per_second "
        "step_tokens_per_second gen_throughput avg_generation_throughput tokens_per_second tokens_per_sec "
        "tokens_s tokens_sec tokens_per_sec_per_gpu tokens_per_gpu_per_sec tokens_s_gpu"
    ),
    "tokens_per_s_avg": "avg_tokens_per_second",
    "prompt_tokens_per_s": "avg_prompt_throughput",
    "tokens_per_batch": "wpb",
    "batch_size": "bsz avg_samples global_batch_size batch_size bs",
    "consumed_samples": "consumed_samples",
    "consumed_tokens": "consumed_tokens",
    "gpu_mem_mib": (
        "max_mem memory mem gpu_mem gpu_memory max_mem_allocated memallocated peak_memory_alloc mem_allocated "
        "memory_max_mem_allocated memory_max_allocated step_peak_memory_allocated perf_max_memory_allocated "
        "gpu_mem_usage peak_memory peak_mem max_memory max_gpu_mem"
    ),
    "gpu_mem_max_mib": "maxmemallocated",
    "gpu_mem_active_mib": "peak_memory_active memory_max_mem_active memory_max_active",
    "gpu_mem_reserved_mib": (
        "max_mem_reserved peak_memory_reserved memory_device_mem_reserved memory_device_reserved mem_reserved "
        "step_peak_memory_reserved perf_max_memory_reserved"
    ),
    "gpu_free_gib": "gb_free",
    "host_mem_gib": "perf_cpu_memory_used host_mem",
    "tflops": "tflops tflop_s_device throughput_per_gpu tflops_per_gpu tflop_s tflops_gpu",
    "mfu": "mfu perf_mfu_actor",
    "eta_s": "eta remaining remaining_time",
    "elapsed_s": "elapsed elapsed_time wall total_time",
    "train_wall_s": "train_wall",
    "train_time_s": "train_time",
    "progress_pct": "percentage",
    "lb_loss": "load_balancing_loss",
    "tokens_seen": "num_input_tokens_seen",
}
COLUMN_OF = {name: column for column, names in _SAME.items() for name in names.split()}

# keys that say the loss of a record, the surest first
LOSSES = (
    "loss",
    "total_loss",
    "lm_loss",
    "train_loss",
    "training_loss",
    "reduced_train_loss",
    "loss_step",
    "train_loss_step",
    "step_loss",
    "loss_loss",
    "actor_pg_loss",
    "train_total_loss",
    "avg_loss",
    "train_loss_epoch",
    "loss_epoch",
    "closs",
)
# keys of evaluation, and of what is said once at the end
EVALUATION = ("val", "test", "eval", "valid", "validation")
SUMMARY = ("train_runtime", "train_samples_per_second", "train_steps_per_second")

# (B), (M) and (P) are no units: ultralytics' metrics of boxes, masks and poses
_UNIT_IN_NAME = re.compile(
    r" {0,4}\((?!(?:t|train|B|M|P)\))([A-Za-z/%]{1,20})\)$|_(gb|GB|gib|GiB|mb|MB|mib|MiB|ms)$| in (s|ms)$"
)
_MILLISECONDS = re.compile(r"ms_(?:per_)?(?:step|batch|iter|it)")
_NO_LETTER = re.compile(r"[^a-z0-9]+")
# what stands in front of a key and says no more than that it is one of training
_GROUPS = ("train_", "training_", "perf_", "metrics_")
NO_COLUMNS = frozenset({"time", "format", "rank", "source", "line", "printed_time", ""})


class Key(NamedTuple):
    """A printed key: its name in snake_case without unit, and the unit that stands in it ("" if none)."""

    name: str
    unit: str


@lru_cache(maxsize=4096)  # keys of one log are few; a text of ever new ones must not fill the memory
def key_of(text: str) -> Key:
    """The name and unit of a key as printed, with or without the colon or equals sign after it."""
    text = text.rstrip(" :=").strip("'\"")
    found = _UNIT_IN_NAME.search(text)
    unit = next((group for group in found.groups() if group), "") if found else ""
    plain = text[: found.start()] if found else text
    name = _NO_LETTER.sub("_", plain.lower().replace("²", "^2")).strip("_")
    return Key("ms_per_step", "ms") if _MILLISECONDS.fullmatch(name) else Key(name, unit)


def column_of(name: str) -> str:
    """The column of a name; its own name where it is not a known one, "" where it cannot be a column."""
    column = COLUMN_OF.get(name)
    if column is None:
        short = next((name.removeprefix(group) for group in _GROUPS if name.startswith(group)), name)
        column = COLUMN_OF.get(short, name)
    return "" if column in NO_COLUMNS or len(column) > MAX_KEY else column


def averaged(column: str) -> str:
    """The column of an average: ``loss_avg``, ``step_time_avg_s``."""
    for unit in ("_per_s", "_s", "_mib", "_gib"):
        if column.endswith(unit):
            return f"{column}_avg" if unit == "_per_s" else f"{column.removesuffix(unit)}_avg{unit}"
    return f"{column}_avg"


def shared(column: str) -> str:
    """The column of a share of the whole, in percent: ``gpu_mem_pct``."""
    return f"{column.removesuffix('_mib')}_pct"


def is_evaluation(name: str) -> bool:
    """Whether a name says something of validation."""
    return name.split("_", 1)[0] in EVALUATION
