"""What the formats are."""

from __future__ import annotations

TEXTS = {
    "full report as XML": "XML 格式的完整报告",
    "full report": "完整报告",
    "vGPUs of a host": "主机上的 vGPU",
    "plain nvidia-smi table": "普通的 nvidia-smi 表格",
    "device monitor": "设备监视",
    "process monitor": "进程监视",
    "NVLinks of each GPU": "每块 GPU 的 NVLink",
    "list of GPUs": "GPU 列表",
    "matrix of links between devices": "设备之间的连接矩阵",
    "error sentences in place of a table": "没有表格、只有错误信息的输出",
    "load, CPU and memory of the host, and its processes": "主机的负载、CPU、内存和进程",
    "CPUs of the host": "主机的 CPU",
    "CSV of any query": "任意查询的 CSV",
    "training log: CSV of metrics": "训练日志：指标的 CSV",
    "out of memory in a training log": "训练日志里的显存不足",
    "launch commands and visible GPUs in a log": "日志里的启动命令和可见 GPU",
    "ranks, their cards and versions in a log": "日志里的 rank、所用的卡和版本",
    "failures in a training log or a kernel log": "训练日志或内核日志里的故障",
    "settings that a training program prints": "训练程序打印的设置",
    "training log: records as dicts or JSON lines": "训练日志：字典或 JSON 行",
    "training log: records in a JSON document": "训练日志：JSON 文档里的记录",
    "training log: blocks of metrics": "训练日志：成块的指标",
    "training log: bars of Keras": "训练日志：Keras 进度条",
    "training log: progress bars": "训练日志：进度条",
    "training log: metrics with their keys": "训练日志：带名称的指标",
}
