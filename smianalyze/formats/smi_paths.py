"""Where ``-q`` and ``-q -x`` say what a field of ``--query-gpu`` says: the way through headings or elements.

A path is in snake_case, joined by ``/``. Fields that ``--query-gpu`` does not know have names in its manner, so
that both prints fill the same column. A path that is not here is a field of its own, under its own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

# Field and paths; `a|b` is a step with two names, `*` is volatile or aggregate. The first path counts that a print
# has and that does not say N/A.
# power.draw is what the plain table prints: the average of a second where a card has one (on an H200 351 W while
# the instantaneous reading says 616 W), else the only reading. In text that takes a line that says so, since the
# line of the average may be damaged (smi_details).
_TABLE = """
name                                 product_name
uuid                                 gpu_uuid|uuid
serial                               serial_number|serial
pdi                                  gpu_pdi|pdi
fru_part_number                      fru_part_number|gpu_fru_part_number
module_id                            module_id|gpu_module_id
c2c.mode                             gpu_c2c_mode|c2c_mode
accounting.mode                      accounting_mode
accounting.buffer_size               accounting_mode_buffer_size
display_active                       display_active
persistence_mode                     persistence_mode
compute_mode                         compute_mode
pstate                               performance_state
fan.speed                            fan_speed
driver_model.current                 driver_model/current|current_dm
driver_model.pending                 driver_model/pending|pending_dm
mig.mode.current                     mig_mode/current|current_mig
mig.mode.pending                     mig_mode/pending|pending_mig
gom.current                          gpu_operation_mode/current|current_gom
gom.pending                          gpu_operation_mode/pending|pending_gom
inforom.img                          inforom_version/image_version|img_version
inforom.oem                          inforom_version/oem_object
inforom.ecc                          inforom_version/ecc_object
inforom.pwr                          inforom_version/power_management_object|pwr_object
inforom.flush.latest_timestamp       inforom_bbx_object_flush|inforom_bbx_flush/latest_timestamp
inforom.flush.latest_duration        inforom_bbx_object_flush|inforom_bbx_flush/latest_duration
platform.chassis_serial_number       platform_info|platforminfo/chassis_serial_number
platform.slot_number                 platform_info|platforminfo/slot_number
platform.tray_index                  platform_info|platforminfo/tray_index
platform.host_id                     platform_info|platforminfo/host_id
platform.peer_type                   platform_info|platforminfo/peer_type
platform.module_id                   platform_info|platforminfo/module_id
platform.gpu_fabric_guid             platform_info|platforminfo/gpu_fabric_guid
pci.bus_id                           pci/bus_id
pci.domain                           pci/domain
pci.bus                              pci/bus
pci.device                           pci/device
pci.baseClass                        pci/base_classcode|base_class
pci.subClass                         pci/sub_classcode|sub_class
pci.device_id                        pci/device_id
pci.sub_device_id                    pci/sub_system_id
pci.bridge_chip.type                 pci/bridge_chip/type
pci.bridge_chip.firmware             pci/bridge_chip/firmware|fw
pcie.replays_since_reset             pci/replays_since_reset|replay_counter
pcie.replay_number_rollovers         pci/replay_number_rollovers|replay_rollover_counter
pcie.tx_throughput                   pci/tx_throughput|tx_util
pcie.rx_throughput                   pci/rx_throughput|rx_util
pcie.link.gen.current                pci/gpu_link_info/pcie_generation|pcie_gen/current|current_link_gen
pcie.link.gen.max                    pci/gpu_link_info/pcie_generation|pcie_gen/max|max_link_gen
pcie.link.gen.gpucurrent
  pci/gpu_link_info/pcie_generation|pcie_gen/device_current|device_current_link_gen
pcie.link.gen.gpumax                 pci/gpu_link_info/pcie_generation|pcie_gen/device_max|max_device_link_gen
pcie.link.gen.hostmax                pci/gpu_link_info/pcie_generation|pcie_gen/host_max|max_host_link_gen
pcie.link.width.current              pci/gpu_link_info/link_width|link_widths/current|current_link_width
pcie.link.width.max                  pci/gpu_link_info/link_width|link_widths/max|max_link_width
clocks_event_reasons.gpu_idle        clocks_event_reasons/idle|gpu_idle
clocks_event_reasons.applications_clocks_setting    clocks_event_reasons/applications_clocks_setting
clocks_event_reasons.sw_power_cap    clocks_event_reasons/sw_power_cap
clocks_event_reasons.hw_slowdown     clocks_event_reasons/hw_slowdown
clocks_event_reasons.sync_boost      clocks_event_reasons/sync_boost
clocks_event_reasons.sw_thermal_slowdown            clocks_event_reasons/sw_thermal_slowdown
clocks_event_reasons.hw_thermal_slowdown            clocks_event_reasons/hw_slowdown/hw_thermal_slowdown
clocks_event_reasons.hw_thermal_slowdown            clocks_event_reasons/hw_thermal_slowdown
clocks_event_reasons.hw_power_brake_slowdown        clocks_event_reasons/hw_slowdown/hw_power_brake_slowdown
clocks_event_reasons.hw_power_brake_slowdown        clocks_event_reasons/hw_power_brake_slowdown
clocks_event_reasons.display_clock_setting
  clocks_event_reasons/display_clock_setting|display_clocks_setting
clocks_event_reasons_counters.sw_power_cap          clocks_event_reasons_counters/sw_power_capping|sw_power_cap
clocks_event_reasons_counters.sync_boost            clocks_event_reasons_counters/sync_boost
clocks_event_reasons_counters.sw_thermal_slowdown
  clocks_event_reasons_counters/sw_thermal_slowdown|sw_therm_slowdown
clocks_event_reasons_counters.hw_thermal_slowdown
  clocks_event_reasons_counters/hw_thermal_slowdown|hw_therm_slowdown
clocks_event_reasons_counters.hw_power_brake_slowdown
  clocks_event_reasons_counters/hw_power_braking|hw_power_brake
memory.total                         fb_memory_usage|memory_usage/total
memory.reserved                      fb_memory_usage|memory_usage/reserved
memory.used                          fb_memory_usage|memory_usage/used
memory.free                          fb_memory_usage|memory_usage/free
bar1_memory.total                    bar1_memory_usage/total
bar1_memory.used                     bar1_memory_usage/used
bar1_memory.free                     bar1_memory_usage/free
protected_memory.total               conf_compute_protected_memory_usage|cc_protected_memory_usage/total
protected_memory.used                conf_compute_protected_memory_usage|cc_protected_memory_usage/used
protected_memory.free                conf_compute_protected_memory_usage|cc_protected_memory_usage/free
utilization.gpu                      utilization/gpu|gpu_util
utilization.memory                   utilization/memory|memory_util
utilization.encoder                  utilization/encoder|encoder_util
utilization.decoder                  utilization/decoder|decoder_util
utilization.jpeg                     utilization/jpeg|jpeg_util
utilization.ofa                      utilization/ofa|ofa_util
encoder.stats.sessionCount           encoder_stats/active_sessions|session_count
encoder.stats.averageFps             encoder_stats/average_fps
encoder.stats.averageLatency         encoder_stats/average_latency
fbc.stats.sessionCount               fbc_stats/active_sessions|session_count
fbc.stats.averageFps                 fbc_stats/average_fps
fbc.stats.averageLatency             fbc_stats/average_latency
dramEncryption.mode.current          dram_encryption_mode/current|current_dram_encryption
dramEncryption.mode.pending          dram_encryption_mode/pending|pending_dram_encryption
ecc.mode.current                     ecc_mode/current|current_ecc
ecc.mode.pending                     ecc_mode/pending|pending_ecc
ecc.errors.corrected.*.device_memory     ecc_errors/*/single_bit/device_memory
ecc.errors.corrected.*.dram              ecc_errors/*/dram_correctable
ecc.errors.corrected.*.sram              ecc_errors/*/sram_correctable
ecc.errors.corrected.*.register_file     ecc_errors/*/single_bit/register_file
ecc.errors.corrected.*.l1_cache          ecc_errors/*/single_bit/l1_cache
ecc.errors.corrected.*.l2_cache          ecc_errors/*/single_bit/l2_cache
ecc.errors.corrected.*.texture_memory    ecc_errors/*/single_bit/texture_memory
ecc.errors.corrected.*.cbu               ecc_errors/*/single_bit/cbu
ecc.errors.corrected.*.total             ecc_errors/*/single_bit/total
ecc.errors.uncorrected.*.device_memory   ecc_errors/*/double_bit/device_memory
ecc.errors.uncorrected.*.dram            ecc_errors/*/dram_uncorrectable
ecc.errors.uncorrected.*.sram            ecc_errors/*/sram_uncorrectable
ecc.errors.uncorrected.*.sram.parity     ecc_errors/*/sram_uncorrectable_parity
ecc.errors.uncorrected.*.sram.secded     ecc_errors/*/sram_uncorrectable_sec_ded|sram_uncorrectable_secded
ecc.errors.uncorrected.*.sram.thresholdExceeded  ecc_errors/*/sram_threshold_exceeded
ecc.errors.uncorrected.*.sram.l2         ecc_errors/*_uncorrectable_sram_sources/sram_l2
ecc.errors.uncorrected.*.sram.sm         ecc_errors/*_uncorrectable_sram_sources/sram_sm
ecc.errors.uncorrected.*.sram.mcu        ecc_errors/*_uncorrectable_sram_sources/sram_microcontroller
ecc.errors.uncorrected.*.sram.pcie       ecc_errors/*_uncorrectable_sram_sources/sram_pcie
ecc.errors.uncorrected.*.sram.other      ecc_errors/*_uncorrectable_sram_sources/sram_other
ecc.errors.uncorrected.*.register_file   ecc_errors/*/double_bit/register_file
ecc.errors.uncorrected.*.l1_cache        ecc_errors/*/double_bit/l1_cache
ecc.errors.uncorrected.*.l2_cache        ecc_errors/*/double_bit/l2_cache
ecc.errors.uncorrected.*.texture_memory  ecc_errors/*/double_bit/texture_memory
ecc.errors.uncorrected.*.cbu             ecc_errors/*/double_bit/cbu
ecc.errors.uncorrected.*.total           ecc_errors/*/double_bit/total
retired_pages.single_bit_ecc.count   retired_pages/single_bit_ecc
retired_pages.single_bit_ecc.count   retired_pages/multiple_single_bit_retirement/retired_count
retired_pages.double_bit.count       retired_pages/double_bit_ecc
retired_pages.double_bit.count       retired_pages/double_bit_retirement/retired_count
retired_pages.pending
  retired_pages/pending_page_blacklist|pending_blacklist|pending_retirement|pending
remapped_rows.correctable            remapped_rows/correctable_error|corr
remapped_rows.correctable_inactive   remapped_rows/inactive_correctable_error|corr_inactive
remapped_rows.uncorrectable          remapped_rows/uncorrectable_error|unc
remapped_rows.uncorrectable_inactive remapped_rows/inactive_uncorrectable_error|unc_inactive
remapped_rows.pending                remapped_rows/pending
remapped_rows.failure                remapped_rows/remapping_failure_occurred|failure
remapped_rows.histogram.max          remapped_rows/bank_remap_availability_histogram|row_remapper_histogram/max
remapped_rows.histogram.high         remapped_rows/bank_remap_availability_histogram|row_remapper_histogram/high
remapped_rows.histogram.partial      remapped_rows/bank_remap_availability_histogram|row_remapper_histogram/partial
remapped_rows.histogram.low          remapped_rows/bank_remap_availability_histogram|row_remapper_histogram/low
remapped_rows.histogram.none         remapped_rows/bank_remap_availability_histogram|row_remapper_histogram/none
temperature.gpu                      temperature/gpu_current_temp|gpu_temp|gpu
temperature.gpu.tlimit               temperature/gpu_t_limit_temp|gpu_temp_tlimit
temperature.gpu.shutdown             temperature/gpu_shutdown_temp|gpu_temp_max_threshold
temperature.gpu.slowdown             temperature/gpu_slowdown_temp|gpu_temp_slow_threshold
temperature.gpu.max_operating        temperature/gpu_max_operating_temp|gpu_temp_max_gpu_threshold
temperature.gpu.shutdown_tlimit      temperature/gpu_shutdown_t_limit_temp|gpu_temp_max_tlimit_threshold
temperature.gpu.slowdown_tlimit      temperature/gpu_slowdown_t_limit_temp|gpu_temp_slow_tlimit_threshold
temperature.gpu.max_operating_tlimit temperature/gpu_max_operating_t_limit_temp|gpu_temp_max_gpu_tlimit_threshold
temperature.gpu.target               temperature/gpu_target_temperature
temperature.memory                   temperature/memory_current_temp|memory_temp
temperature.memory.max_operating     temperature/memory_max_operating_temp|gpu_temp_max_mem_threshold
temperature.memory.max_operating_tlimit
  temperature/memory_max_operating_t_limit_temp|gpu_temp_max_mem_tlimit_threshold
power.management                     power_readings/power_management
power.draw                           power_readings|gpu_power_readings/power_draw
power.draw                           gpu_power_readings/average_power_draw
power.draw                           gpu_power_readings/instant_power_draw
power.draw.average                   gpu_power_readings/average_power_draw
power.draw.instant                   gpu_power_readings/instantaneous_power_draw|instant_power_draw
power.limit                          power_readings|gpu_power_readings/power_limit|current_power_limit
power.requested_limit                gpu_power_readings/requested_power_limit
enforced.power.limit                 power_readings|gpu_power_readings/enforced_power_limit
power.default_limit                  power_readings|gpu_power_readings/default_power_limit
power.min_limit                      power_readings|gpu_power_readings/min_power_limit
power.max_limit                      power_readings|gpu_power_readings/max_power_limit
module.power.draw.average            module_power_readings/average_power_draw
module.power.draw.instant            module_power_readings/instantaneous_power_draw|instant_power_draw
module.power.draw                    module_power_readings/power_draw
module.power.limit                   module_power_readings/current_power_limit
module.power.requested_limit         module_power_readings/requested_power_limit
module.power.default_limit           module_power_readings/default_power_limit
module.power.min_limit               module_power_readings/min_power_limit
module.power.max_limit               module_power_readings/max_power_limit
memory_power.draw.average            gpu_memory_power_readings/average_power_draw
memory_power.draw.instant            gpu_memory_power_readings/instantaneous_power_draw|instant_power_draw
memory_power.draw                    gpu_memory_power_readings/power_draw
power_profiles.requested             workload_power_profiles|power_profiles/requested_profiles
power_profiles.enforced              workload_power_profiles|power_profiles/enforced_profiles
voltage.graphics                     voltage/graphics|graphics_volt
clocks.current.graphics              clocks/graphics|graphics_clock
clocks.current.sm                    clocks/sm|sm_clock
clocks.current.memory                clocks/memory|mem_clock
clocks.current.video                 clocks/video|video_clock
clocks.applications.graphics         applications_clocks/graphics|graphics_clock
clocks.applications.memory           applications_clocks/memory|mem_clock
clocks.default_applications.graphics default_applications_clocks/graphics|graphics_clock
clocks.default_applications.memory   default_applications_clocks/memory|mem_clock
clocks.deferred.memory               deferred_clocks/memory|mem_clock
clocks.max.graphics                  max_clocks/graphics|graphics_clock
clocks.max.sm                        max_clocks/sm|sm_clock
clocks.max.memory                    max_clocks/memory|mem_clock
clocks.max.video                     max_clocks/video|video_clock
clocks.max_customer_boost.graphics   max_customer_boost_clocks/graphics|graphics_clock
"""


def _pairs() -> Iterator[tuple[str, str]]:
    """Each field with each of its paths; a line of the table takes the next where it holds no path."""
    words = _TABLE.replace("\n  ", " ").split()
    for field, steps in zip(words[::2], words[1::2], strict=True):
        for scope in ("volatile", "aggregate") if "*" in field else ("*",):
            for path in product(*(step.split("|") for step in steps.replace("*", scope).split("/"))):
                yield field.replace("*", scope), "/".join(path)


def _paths() -> dict[str, tuple[str, ...]]:
    paths: dict[str, tuple[str, ...]] = {}
    for field, path in _pairs():
        paths[field] = (*paths.get(field, ()), path)
    return paths


PATHS = _paths()
"""The paths of each field, in the order in which they count."""


def _by_last_step() -> dict[str, str]:
    paths = [path for of_field in PATHS.values() for path in dict.fromkeys(of_field) if "/" in path]
    last = [path.rpartition("/")[2] for path in paths]
    return {step: path for step, path in zip(last, paths, strict=True) if last.count(step) == 1 and "_" in step}


BY_LAST_STEP = _by_last_step()
"""The one path that ends with a step of several words: what a line says whose heading was left out, as by grep."""
