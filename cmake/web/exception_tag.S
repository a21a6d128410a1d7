# The tag of C++ exceptions, which objects refer to.
.globl __cpp_exception
.tagtype __cpp_exception i32
__cpp_exception:
