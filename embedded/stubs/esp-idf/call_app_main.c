/* The task from which ESP-IDF calls the program. */

void app_main(void);

int main(void)
{
    app_main();
    return 0;
}
