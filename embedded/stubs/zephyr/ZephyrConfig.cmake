# In place of Zephyr: those of its CMake functions that the module and its sample call. STUB_BOARD holds the options that a
# board's Kconfig would set. The program runs on an emulated machine and not on a board.

include(${CMAKE_CURRENT_LIST_DIR}/../machine.cmake)
project(Zephyr-Kernel C)

foreach(option ${STUB_BOARD})
    set(CONFIG_${option} y)
endforeach()
file(STRINGS ${CMAKE_SOURCE_DIR}/prj.conf stub_settings REGEX "^CONFIG_")
foreach(setting ${stub_settings})
    string(REGEX MATCH "^(CONFIG_[A-Z0-9_]+)=(.*)$" stub_setting ${setting})
    set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()

add_library(zephyr_interface INTERFACE)
target_include_directories(zephyr_interface INTERFACE ${CMAKE_CURRENT_LIST_DIR}/include)
target_compile_options(zephyr_interface INTERFACE -ffunction-sections -fdata-sections)
if(NOT CMAKE_C_COMPILER MATCHES "arm-none-eabi")
    target_compile_options(zephyr_interface INTERFACE --specs=picolibc.specs)
endif()
add_library(app STATIC)
target_link_libraries(app PUBLIC zephyr_interface)

function(zephyr_include_directories)
    target_include_directories(zephyr_interface INTERFACE ${ARGN})
endfunction()

function(zephyr_link_libraries)
    target_link_libraries(zephyr_interface INTERFACE ${ARGN})
endfunction()

macro(zephyr_library_named name)
    set(ZEPHYR_CURRENT_LIBRARY ${name})
    add_library(${name} STATIC)
    target_link_libraries(${name} PUBLIC zephyr_interface)
    set_property(GLOBAL APPEND PROPERTY STUB_LIBRARIES ${name})
endmacro()

function(zephyr_library_sources)
    target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()

foreach(module ${ZEPHYR_EXTRA_MODULES})
    file(STRINGS ${module}/zephyr/module.yml stub_folder REGEX "^  cmake: ")
    string(REPLACE "  cmake: " "" stub_folder ${stub_folder})
    cmake_path(GET module FILENAME stub_name)
    add_subdirectory(${module}/${stub_folder} modules/${stub_name})
endforeach()

get_property(stub_libraries GLOBAL PROPERTY STUB_LIBRARIES)
add_executable(zephyr_final ${CMAKE_CURRENT_LIST_DIR}/empty.c)
set_target_properties(zephyr_final PROPERTIES OUTPUT_NAME zephyr SUFFIX .elf)
target_link_libraries(zephyr_final PRIVATE app ${stub_libraries} zephyr_interface)
link_for_machine(zephyr_final)
