"""Counts and spans; a noun stands with the word that counts it."""

from __future__ import annotations

TEXTS = {
    "{low} to {high}": "{low}～{high}",
    "less than a second": "不到 1 秒",
    # time
    "{number:,} second": "{number:,} 秒",
    "{number:,} minute": "{number:,} 分钟",
    "{number:,} hour": "{number:,} 小时",
    "{number:,} day": "{number:,} 天",
    "{number:,} time": "{number:,} 次",
    # cards and what was printed of them
    "{number:,} GPU": "{number:,} 张卡",
    "{number:,} card": "{number:,} 张卡",
    "{number:,} gap": "{number:,} 处中断",
    "{number:,} host": "{number:,} 台主机",
    "{number:,} print": "{number:,} 次输出",
    "{number:,} process row": "{number:,} 行进程",
    "{number:,} recording": "{number:,} 份监控记录",
    "{number:,} sample": "{number:,} 个采样",
    "{number:,} uncorrected error": "{number:,} 个无法纠正的错误",
    # inputs and texts
    "{number:,} capture": "{number:,} 份采集",
    "{number:,} file": "{number:,} 个文件",
    "{number:,} finding": "{number:,} 条诊断",
    "{number:,} input": "{number:,} 个输入",
    "{number:,} log": "{number:,} 份日志",
    "{number:,} message": "{number:,} 条消息",
    "{number:,} more place": "{number:,} 处",
    "{number:,} name": "{number:,} 个名称",
    "{number:,} place": "{number:,} 处",
    "{number:,} record": "{number:,} 条记录",
    "{number:,} value": "{number:,} 个值",
}
