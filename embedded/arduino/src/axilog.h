/* axilog for Arduino and PlatformIO. */

#include "axilog/axilog.h"
