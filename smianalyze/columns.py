"""Every column of every frame, declared once: name, dtype, meaning, nvidia-smi's own name.

The unit is the suffix of the name (``_pct _mib _w _c _mhz _us _ms _s``); no suffix means a count or a name.
README's column tables are generated from here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Dtype = Literal["Int64", "Float64", "string", "boolean", "datetime64[us]", "object"]


class Column(NamedTuple):
    """One column: its name, pandas dtype, meaning in a few words, and nvidia-smi's name for it ('' if ours)."""

    name: str
    dtype: Dtype
    meaning: str
    smi_name: str = ""


def _integer(name: str, meaning: str, smi_name: str = "") -> Column:
    return Column(name, "Int64", meaning, smi_name)


def _decimal(name: str, meaning: str, smi_name: str = "") -> Column:
    return Column(name, "Float64", meaning, smi_name)


def _text(name: str, meaning: str, smi_name: str = "") -> Column:
    return Column(name, "string", meaning, smi_name)


SOURCE = _text("source", "name of the input")
LINE = _integer("line", "1-based line of the input where the row starts")
SNAPSHOT = _integer("snapshot", "number of the print, 0-based over all inputs")
TIME = Column("time", "datetime64[us]", "local time as printed", "timestamp")
PRINTED_TIME = _text("printed_time", "date or time of day as printed, where the other is not (dmon, pmon, logs)")
HOST = _text("host", "host that the print came from")
GPU_INDEX = _integer("gpu_index", "GPU number", "index")
BUS_ID = _text("pci_bus_id", "PCI bus id as printed", "pci.bus_id")
GPU_INSTANCE = _integer("gpu_instance_id", "MIG GPU instance (GI)")
COMPUTE_INSTANCE = _integer("compute_instance_id", "MIG compute instance (CI)")
MEMORY_USED = _integer("memory_used_mib", "memory in use", "memory.used")
MEMORY_TOTAL = _integer("memory_total_mib", "memory installed", "memory.total")
ECC_ERRORS = _integer("ecc_errors", "volatile uncorrected ECC errors", "ecc.errors.uncorrected.volatile.total")

FRAMES: dict[str, tuple[Column, ...]] = {
    "snapshots": (
        SNAPSHOT,
        TIME,
        HOST,
        _text("smi_version", "version after the words NVIDIA-SMI"),
        _text("driver_version", "driver (KMD) version", "driver_version"),
        _text("cuda_version", "highest CUDA (UMD) version of the driver"),
        _text("process_section", "listed, none_found, not_supported, empty, absent or foreign"),
        PRINTED_TIME,
        _text("time_basis", "on a screen: printed, spread (evenly over a second) or recorded (its clock)"),
        _integer("screen_rows", "rows of the screen that showed it"),
        _integer("screen_columns", "columns of that screen"),
        Column("cut_right", "boolean", "whether that screen was too narrow for it"),
        Column("cut_bottom", "boolean", "whether that screen was too low for it"),
        Column("damaged", "boolean", "whether a line of it on that screen could not be read"),
    ),
    "gpus": (
        SNAPSHOT,
        TIME,
        HOST,
        GPU_INDEX,
        _text("name", "product name, as far as printed", "name"),
        _text("uuid", "GPU UUID", "uuid"),
        BUS_ID,
        _text("persistence_mode", "On or Off", "persistence_mode"),
        _text("driver_model", "WDDM, TCC or MCDM (Windows)", "driver_model.current"),
        _text("display_active", "On or Off", "display_active"),
        ECC_ERRORS,
        _integer("fan_speed_pct", "fan speed", "fan.speed"),
        _integer("temperature_gpu_c", "core temperature", "temperature.gpu"),
        _text("pstate", "performance state, P0 (fastest) to P15", "pstate"),
        _decimal("power_draw_w", "power drawn", "power.draw"),
        _decimal("power_limit_w", "power limit", "power.limit"),
        MEMORY_USED,
        MEMORY_TOTAL,
        _integer("memory_free_mib", "memory free", "memory.free"),
        _integer("memory_reserved_mib", "memory reserved by driver and firmware", "memory.reserved"),
        _integer("utilization_gpu_pct", "share of time in which a kernel ran", "utilization.gpu"),
        _integer(
            "utilization_memory_pct",
            "share of time in which memory was read or written",
            "utilization.memory",
        ),
        _integer("clocks_current_sm_mhz", "SM clock", "clocks.current.sm"),
        _integer("clocks_current_memory_mhz", "memory clock", "clocks.current.memory"),
        _text("clocks_event_reasons_active", "bit mask of what holds the clocks", "clocks_event_reasons.active"),
        _text("compute_mode", "Default, E. Process, Prohibited", "compute_mode"),
        _text("mig_mode", "Enabled or Disabled now", "mig.mode.current"),
        _text("mig_mode_pending", "Enabled or Disabled after the next reset", "mig.mode.pending"),
        _integer("temperature_memory_c", "memory temperature", "temperature.memory"),
        _integer("utilization_encoder_pct", "share of time in which video was encoded", "utilization.encoder"),
        _integer("utilization_decoder_pct", "share of time in which video was decoded", "utilization.decoder"),
        _integer("utilization_jpeg_pct", "share of time in which JPEGs were decoded", "utilization.jpeg"),
        _integer("utilization_ofa_pct", "share of time in which optical flow was computed", "utilization.ofa"),
        _integer("power_violation_pct", "share of time in which the power limit held the clocks", "pviol"),
        _integer("thermal_violation", "1 while the temperature holds the clocks", "tviol"),
        _integer("bar1_memory_used_mib", "BAR1 memory in use", "bar1"),
        _integer("protected_memory_used_mib", "confidential memory in use", "protected_memory.used"),
        _integer("ecc_single_bit", "single-bit ECC errors", "sbecc"),
        _integer("ecc_double_bit", "double-bit ECC errors", "dbecc"),
        _integer("pcie_replay_errors", "PCIe replays", "pci"),
        _integer("pcie_rx_mb_s", "PCIe traffic to the GPU", "rxpci"),
        _integer("pcie_tx_mb_s", "PCIe traffic from the GPU", "txpci"),
        PRINTED_TIME,
    ),
    "processes": (
        SNAPSHOT,
        TIME,
        HOST,
        GPU_INDEX,
        _text("gpu_uuid", "UUID of its GPU", "gpu_uuid"),
        BUS_ID,
        GPU_INSTANCE,
        COMPUTE_INSTANCE,
        _integer("pid", "process id", "pid"),
        _text("type", "C compute, G graphics, C+G both, M+C MPS"),
        _text("process_name", "name or the end of its path, as printed", "process_name"),
        _integer("used_gpu_memory_mib", "memory it holds on this GPU", "used_gpu_memory"),
        _integer("sm_utilization_pct", "its share of the GPU's time", "sm"),
        _integer("memory_utilization_pct", "its share of the time of memory traffic", "mem"),
        _integer("encoder_utilization_pct", "its share of the encoder's time", "enc"),
        _integer("decoder_utilization_pct", "its share of the decoder's time", "dec"),
        _integer("jpeg_utilization_pct", "its share of the JPEG decoder's time", "jpg"),
        _integer("ofa_utilization_pct", "its share of the optical flow engine's time", "ofa"),
        _integer("protected_memory_mib", "confidential memory it holds", "ccpm"),
        PRINTED_TIME,
    ),
    "mig_devices": (
        SNAPSHOT,
        TIME,
        GPU_INDEX,
        GPU_INSTANCE,
        COMPUTE_INSTANCE,
        _integer("mig_device", "MIG device number on its GPU"),
        MEMORY_USED,
        MEMORY_TOTAL,
        _integer("bar1_used_mib", "BAR1 memory in use"),
        _integer("bar1_total_mib", "BAR1 memory"),
        _integer("sm_count", "streaming multiprocessors"),
        ECC_ERRORS,
        _text("uuid", "MIG UUID"),
        _text("profile", "MIG profile, such as 3g.40gb"),
    ),
    "vgpus": (
        SNAPSHOT,
        TIME,
        HOST,
        GPU_INDEX,
        _integer("vgpu_id", "number of the vGPU on its host"),
        _text("name", "vGPU type, as far as printed"),
        _text("vm_id", "id of its virtual machine, as far as printed"),
        _text("vm_name", "name of its virtual machine, as far as printed"),
        _integer("utilization_gpu_pct", "share of time in which a kernel of this vGPU ran"),
    ),
    "devices": (GPU_INDEX, _text("name", "product name"), _text("uuid", "UUID")),
    "links": (_text("device_a", "device"), _text("device_b", "device"), _text("link", "NV#, PIX, SYS …")),
    "hosts": (TIME,),
    "steps": (
        TIME,
        _text("format", "framework whose lines look so, or generic"),
        _integer("rank", "rank that printed it"),
        _decimal("epoch", "epoch as printed"),
        _integer("total_epochs", "epochs as printed"),
        _integer("step", "counter as printed, of the epoch or of the run"),
        _integer("total_steps", "total behind that counter"),
        _integer("global_step", "optimizer steps, where the line has another counter too"),
        _decimal("loss", "loss: of the step or a mean, as the framework prints it"),
        _decimal("loss_avg", "its average beside it"),
        _decimal("lr", "learning rate"),
        _decimal("grad_norm", "gradient norm"),
        _decimal("step_time_s", "time of a step"),
        _decimal("step_time_avg_s", "its average beside it"),
        _decimal("data_time_s", "part of it that waits for data"),
        _decimal("data_time_avg_s", "its average beside it"),
        _decimal("steps_per_s", "steps in a second"),
        _decimal("samples_per_s", "samples in a second"),
        _decimal("samples_per_s_avg", "its average beside it"),
        _decimal("tokens_per_s", "tokens in a second"),
        _decimal("batch_size", "samples of a step"),
        _decimal("consumed_samples", "samples since the start"),
        _decimal("gpu_mem_mib", "GPU memory that the framework holds, mostly the peak"),
        _decimal("gpu_mem_max_mib", "peak, where the line has the present one too"),
        _decimal("gpu_mem_active_mib", "peak of active memory"),
        _decimal("gpu_mem_reserved_mib", "peak of reserved memory"),
        _decimal("gpu_mem_pct", "share of the card"),
        _decimal("gpu_free_gib", "capacity without the peak"),
        _decimal("host_mem_gib", "host memory in use"),
        _decimal("tflops", "TFLOP/s of a GPU"),
        _decimal("mfu", "model FLOPs utilization, 1 is all; -1 is how nanoGPT and llm.c say unknown"),
        _decimal("eta_s", "time left"),
        _decimal("elapsed_s", "time since the start"),
        _decimal("progress_pct", "share done"),
        PRINTED_TIME,
    ),
    "events": (
        TIME,
        _text("kind", "what happened"),
        _integer("rank", "rank that printed it"),
        _integer("gpu_index", "GPU number as printed (logical)"),
        BUS_ID,
        _integer("pid", "process id"),
        _text("message", "the message, on one line"),
        _text("framework", "what ran out of memory: pytorch, tensorflow, jax, paddle, nccl …"),
        _decimal("tried_mib", "memory that was asked for"),
        _decimal("total_mib", "memory of the GPU"),
        _decimal("allocated_mib", "memory that the framework's tensors hold"),
        _decimal("active_mib", "memory of tensors in use (NPU)"),
        _decimal("free_mib", "memory free on the GPU"),
        _decimal("reserved_mib", "memory that the framework holds, with what is allocated"),
        _decimal("cached_mib", "memory that the framework holds beyond what is allocated"),
        _decimal("reserved_unallocated_mib", "memory that the framework holds and no tensor uses"),
        _decimal("process_mib", "memory that this process holds, beyond the framework too"),
        _decimal("private_pool_mib", "memory in private pools, such as those of CUDA graphs"),
        _decimal("allowed_mib", "memory that the framework may take at most"),
        Column("other_processes", "object", "processes on the GPU as the message lists them: pid and mib"),
        _text("visible_devices", "GPUs that the job may see, as printed: 2,3 or UUIDs; empty for none"),
        _text("nproc_per_node", "ranks started on this host, as printed: a number, gpu or auto"),
        _integer("local_rank", "rank among those of its host"),
        _integer("world_size", "ranks of the job"),
        _integer("physical_gpu_index", "GPU number of nvidia-smi that gpu_index stands for"),
        _decimal("max_allocated_mib", "most memory that the framework's tensors ever held"),
        _decimal("max_reserved_mib", "most memory that the framework ever held"),
        _text("compute_capability", "CUDA compute capability of the GPU, such as 8.6"),
        _text("driver_cuda_version", "highest CUDA version of the driver, as the framework says"),
        _text("runtime_cuda_version", "CUDA version that the framework was built with"),
        _text("cudnn_version", "version of cuDNN"),
        _text("code", "Xid, or the name of the library's error"),
        _integer("exit_code", "exit status of a rank; negative: killed by that signal"),
        _integer("workers", "processes that load data"),
        _integer("suggested_workers", "processors that may load data, as PyTorch says"),
        _integer("iterations", "iterations that were skipped"),
        _decimal("timeout_ms", "time after which a collective was given up"),
    ),
    "problems": (
        _text("format", "format that it looked like"),
        _text("what", "why it could not be read"),
        _text("text", "the text, cleaned and cut"),
    ),
    "inputs": (
        _text("format", "formats found, joined by +"),
        _text("encoding", "how the bytes were decoded"),
        _integer("bytes", "size as stored"),
        _integer("lines", "lines after decoding"),
        _integer("used", "lines read"),
        _integer("ignored", "lines that are not ours"),
        _integer("problem_lines", "lines that look like ours and could not be read"),
        _text("note", "repairs, fallbacks and limits that applied"),
    ),
}
"""Columns of each frame in order; ``source`` and ``line`` are part of every frame (``inputs``: source only)."""


def columns_of(frame: str) -> tuple[Column, ...]:
    """All columns of a frame in order, with ``source`` and ``line`` at the end (``inputs``: source first)."""
    if frame == "inputs":
        return (SOURCE, *FRAMES[frame])
    return (*FRAMES[frame], SOURCE, LINE)
