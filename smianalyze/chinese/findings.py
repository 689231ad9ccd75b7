"""What findings have in common, what stays unknown, and how runs and logs are compared."""

from __future__ import annotations

TEXTS = {
    # explanation.py
    "{quote}": "{quote}",
    # wording.py
    "{thing} {numbers} and {left:,} more": "{thing} {numbers} 和另外 {left:,} 个",
    "{first} and {last}": "{first} 和 {last}",
    # messages.py
    " ({number:,} messages)": "（{number:,} 条消息）",
    " ({pids})": "（{pids}）",
    # rules.py
    "It also explains {ids} here.": "它也解释了这里的 {ids}。",
    "Its likely cause is `{cause}`{where}.": "可能的原因是 `{cause}`{where}。",
    "Settle `{cause}` first, its likely cause. If it comes back then: {step}": "先解决 `{cause}`，它可能就是原因。之后如果再次出现，{step}",
    " on GPU {gpu}": "（GPU {gpu}）",
    # unknowns.py
    "A print shows one moment: it cannot say whether utilization swings. To know, record `nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw --format=csv -lms 500` during a run and give its output to `smianalyze report`.": "一次输出只反映一个时刻：看不出利用率是否波动。要弄清楚，请在运行时用 `nvidia-smi --query-gpu=timestamp,index,utilization.gpu,memory.used,power.draw --format=csv -lms 500` 记录，再把输出交给 `smianalyze report`。",
    "How long anything took cannot be told, because the prints have no time: add `timestamp` to `--query-gpu`, or `-o DT` to `dmon`.": "看不出各段时间有多长，因为输出里没有时间：给 `--query-gpu` 加上 `timestamp`，或给 `dmon` 加上 `-o DT`。",
    "Whether the cards were busy cannot be told, because no print has their utilization; with MIG the driver does not measure it.": "看不出卡是否在忙，因为所有输出都没有利用率；启用 MIG 时，驱动不测量利用率。",
    "Whether one rank waits for another cannot be told, because the prints have no power, and waiting counts as utilization: add `power.draw,power.limit` to `--query-gpu`.": "看不出是否有 rank 在等另一个 rank，因为输出里没有功耗，而等待也算作利用率：给 `--query-gpu` 加上 `power.draw,power.limit`。",
    "Who holds the memory cannot be told, because no process list was recorded: add the output of `nvidia-smi`, or of `nvidia-smi --query-compute-apps=gpu_uuid,pid,name,used_memory --format=csv`.": "看不出是谁占着显存，因为没有记录进程列表：补上 `nvidia-smi` 的输出，或 `nvidia-smi --query-compute-apps=gpu_uuid,pid,name,used_memory --format=csv` 的输出。",
    "Whether the job waits for data cannot be told for sure, because its log prints no data time: print how long the program waits for each batch, beside the time of the step.": "无法确定作业是否在等待数据，因为日志没有打印数据用时：让程序在单步时间旁边，打印等待每个批的时间。",
    # log_alignment.py
    "it prints the clock of the recording": "它打印的时间与监控记录是同一个时钟",
    "its clock differs by {hours:+g} h from that of the recording, as another time zone does": "它的时钟与监控记录相差 {hours:+g} h，应是时区不同",
    "it prints no date, or none with a year; that of the recording fits": "它没有打印日期或年份；监控记录的日期吻合",
    "it prints no clock; as long as the job ran, it is laid onto that time, ±{seconds:.0f} s": "它没有打印时间；长度与作业运行时间相当，因此与之对齐，误差 ±{seconds:.0f} s",
    "where it stands in the recording cannot be told": "无法判断它对应监控记录的哪一段",
    # run_comparison.py
    "samples a second": "每秒样本数",
    "step time": "单步时间",
    "waiting for data": "等数据",
    "samples": "样本",
    "{name}, {unit}": "{name}（{unit}）",
    "batch size": "批大小",
    "energy a step": "每步能耗",
    "{pace}; the second waits for data in {after:.0%} of the time, less than {before:.0%} before.": "{pace}；第二次运行有 {after:.0%} 的时间在等待数据，少于之前的 {before:.0%}。",
    "{pace}; the second waits for data in {after:.0%} of the time, more than {before:.0%} before.": "{pace}；第二次运行有 {after:.0%} 的时间在等待数据，多于之前的 {before:.0%}。",
    "How long a step takes is not known of both runs": "两次运行里至少有一次不知道单步时间",
    "{after:.3g} s a step in place of {before:.3g} s": "每步 {after:.3g} s，之前是 {before:.3g} s",
    "{after:,.0f} samples a second in place of {before:,.0f}": "每秒 {after:,.0f} 个样本，之前是 {before:,.0f} 个",
    "Both runs are equally fast: {took}": "两次运行一样快：{took}",
    "The second run is {times:.3g} times as fast: {took}": "第二次运行的速度是第一次的 {times:.3g} 倍：{took}",
    "The second run is {times:.3g} times as slow: {took}": "第二次运行变慢，用时是第一次的 {times:.3g} 倍：{took}",
}
