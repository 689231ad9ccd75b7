# Sums of the numbers of a query, as JSON.
BEGIN { FS = ", " }
NR > 1 { gpu += $2; temperature += $6; busy += $7; memory += $8; used += $9; free += $10; draw += $11; clock += $12 }
END {
    printf "{\"gpus.gpu_index\": %.0f, \"gpus.temperature_gpu_c\": %.0f, \"gpus.utilization_gpu_pct\": %.0f,", gpu, temperature, busy
    printf " \"gpus.utilization_memory_pct\": %.0f, \"gpus.memory_used_mib\": %.0f, \"gpus.memory_free_mib\": %.0f,", memory, used, free
    printf " \"gpus.power_draw_w\": %.2f, \"gpus.clocks_current_sm_mhz\": %.0f}", draw, clock
}
