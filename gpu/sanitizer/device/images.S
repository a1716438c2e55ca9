/* gpu/sanitizer/device/images.S: the GPU code of the provider, in its read-only data. */
	.section .rodata
	.balign 64
	.globl vflow_patches_image
	.hidden vflow_patches_image
vflow_patches_image:
	.incbin PATCHES
	.balign 64
	.globl vflow_patches_access_image
	.hidden vflow_patches_access_image
vflow_patches_access_image:
	.incbin PATCHES_ACCESS
	.balign 64
	.globl vflow_values_image
	.hidden vflow_values_image
vflow_values_image:
	.incbin VALUES
	.balign 64
	.globl vflow_passes_image
	.hidden vflow_passes_image
vflow_passes_image:
	.incbin PASSES
	.balign 64
	.globl vflow_passes_access_image
	.hidden vflow_passes_access_image
vflow_passes_access_image:
	.incbin PASSES_ACCESS
	.section .note.GNU-stack,"",@progbits
