# In place of ESP-IDF: those of its CMake functions that the component and its example call. The program runs on an emulated
# machine and not on an ESP32.

include(${CMAKE_CURRENT_LIST_DIR}/../../../machine.cmake)
set(stub_directory ${CMAKE_CURRENT_LIST_DIR}/../..)

function(idf_component_register)
    cmake_parse_arguments(stub "" "" "SRCS;INCLUDE_DIRS;REQUIRES;PRIV_REQUIRES" ${ARGN})
    cmake_path(GET CMAKE_CURRENT_LIST_DIR FILENAME name)
    add_library(idf_${name} STATIC ${stub_SRCS})
    target_include_directories(idf_${name} PUBLIC ${stub_INCLUDE_DIRS})
    target_compile_options(idf_${name} PRIVATE -ffunction-sections -fdata-sections)
    if(NOT CMAKE_C_COMPILER MATCHES "arm-none-eabi")
        target_compile_options(idf_${name} PRIVATE --specs=picolibc.specs)
    endif()
    foreach(required ${stub_REQUIRES} ${stub_PRIV_REQUIRES})
        target_link_libraries(idf_${name} PUBLIC idf_${required})
    endforeach()
    set(COMPONENT_LIB idf_${name} PARENT_SCOPE)
endfunction()

# In ESP-IDF a component with sources is no INTERFACE library, and what is linked to it so reaches the program.
function(add_prebuilt_library name path)
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${path})
endfunction()

macro(project name)
    _project(${name} C)
    foreach(component ${EXTRA_COMPONENT_DIRS})
        get_filename_component(component ${component} ABSOLUTE)
        get_filename_component(component_name ${component} NAME)
        add_subdirectory(${component} ${component_name})
    endforeach()
    add_subdirectory(main)
    add_executable(${name}.elf ${stub_directory}/call_app_main.c)
    target_link_libraries(${name}.elf PRIVATE idf_main)
    link_for_machine(${name}.elf)
endmacro()
