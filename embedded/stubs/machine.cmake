# Links a program for an emulated machine: its start, the console by semihosting, and the C library.

function(link_for_machine program)
    set(c ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../c-tests/firmware)
    target_sources(${program} PRIVATE ${c}/host_semihosting.c)
    target_include_directories(${program} PRIVATE ${c})
    if(CMAKE_C_COMPILER MATCHES "arm-none-eabi")
        target_sources(${program} PRIVATE ${c}/start_arm.c)
        target_compile_definitions(${program} PRIVATE WITH_LIBC)
        target_link_options(${program} PRIVATE -nostartfiles -T ${c}/arm.ld --specs=rdimon.specs
            -Wl,--defsym=flash_size=4M,--defsym=ram_size=256K)
    else()
        target_compile_options(${program} PRIVATE --specs=picolibc.specs)
        target_link_options(${program} PRIVATE --specs=picolibc.specs --oslib=semihost --crt0=semihost
            -Wl,--defsym=__flash=0x80000000,--defsym=__flash_size=4M,--defsym=__ram=0x80400000,--defsym=__ram_size=256K)
    endif()
    target_link_options(${program} PRIVATE -Wl,--gc-sections,-z,noexecstack)
endfunction()
