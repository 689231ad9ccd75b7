# Sums of the numbers of nvidia-smi's tables, as JSON.
$4 ~ /^P[0-9]/ && $3 ~ /C$/ { temperature += $3; draw += $5; limit += $7; used += $9; total += $11; busy += $13; next }
$6 == "C" { gpu += $2; pid += $5; held += $8 }
END {
    printf "{\"gpus.temperature_gpu_c\": %.0f, \"gpus.power_draw_w\": %.0f, \"gpus.power_limit_w\": %.0f,", temperature, draw, limit
    printf " \"gpus.memory_used_mib\": %.0f, \"gpus.memory_total_mib\": %.0f, \"gpus.utilization_gpu_pct\": %.0f,", used, total, busy
    printf " \"processes.gpu_index\": %.0f, \"processes.pid\": %.0f, \"processes.used_gpu_memory_mib\": %.0f}", gpu, pid, held
}
