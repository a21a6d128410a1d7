// book.h of introductory courses: what kernels' files use of it
#pragma once
#define HANDLE_ERROR(value) ((void)(value))
#define HANDLE_NULL(value) ((void)(value))
