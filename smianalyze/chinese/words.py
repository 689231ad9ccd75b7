"""Words that many parts say, and the marks between them."""

from __future__ import annotations

TEXTS = {
    " ": "",
    ", ": "、",
    "; ": "；",
    "{meanings}.": "{meanings}。",
    "{shown} and {left:,} more": "{shown}，另有 {left:,} 个",
    "and {places}": "另有 {places}",
    # severity and confidence
    "high": "高",
    "medium": "中",
    "low": "低",
    "info": "提示",
    # cards
    "card": "卡",
    "cards": "卡",
    "memory used": "已用显存",
    "memory, MiB": "显存（MiB）",
    "peak memory": "显存峰值",
    "utilization": "利用率",
    "utilization, %": "利用率（%）",
    "mean utilization": "平均利用率",
    "power": "功耗",
    "power, W": "功耗（W）",
    "mean power": "平均功耗",
    "temperature": "温度",
    "energy": "能耗",
    "idle": "空闲",
    # before and after
    "before": "之前",
    "after": "之后",
    "change": "变化",
    "growth": "增长",
    "started": "新启动",
    "ended": "已结束",
    "unknown": "未知",
    "none": "无",
    # things
    "finding": "诊断",
    "host": "主机",
    "input": "输入",
    "log": "日志",
    "process": "进程",
}
