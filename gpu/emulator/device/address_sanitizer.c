/*
 * gpu/emulator/device/address_sanitizer.c: programs built with -fsanitize=address.
 *
 * The sanitizer's runtime ends a program in which another library comes before it, as preloaded
 * ones do: their functions might hide its own.  Ours have none of those names.  A program may have
 * such a function itself, which then comes before this one; what the user sets in ASAN_OPTIONS
 * holds in any case.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);

__attribute__((no_sanitize("address", "undefined"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
