# Sums of the numbers of dmon, as JSON.
!/^#/ {
    gpu += $3; draw += $4; core += $5; memory_c += $6; busy += $7; memory += $8; mclk += $9; pclk += $10; fb += $11
    bar1 += $12
}
END {
    printf "{\"gpus.gpu_index\": %.0f, \"gpus.power_draw_w\": %.0f, \"gpus.temperature_gpu_c\": %.0f,", gpu, draw, core
    printf " \"gpus.temperature_memory_c\": %.0f, \"gpus.utilization_gpu_pct\": %.0f,", memory_c, busy
    printf " \"gpus.utilization_memory_pct\": %.0f, \"gpus.clocks_current_memory_mhz\": %.0f,", memory, mclk
    printf " \"gpus.clocks_current_sm_mhz\": %.0f, \"gpus.memory_used_mib\": %.0f,", pclk, fb
    printf " \"gpus.bar1_memory_used_mib\": %.0f}", bar1
}
