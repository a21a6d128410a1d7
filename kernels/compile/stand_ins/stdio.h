// <cstdio>: printf is NVRTC's own
#pragma once
typedef struct warplens_file FILE;
