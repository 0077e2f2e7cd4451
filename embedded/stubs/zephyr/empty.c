/* Zephyr has its main thread here, which calls the main of the application. */
typedef int not_empty;
