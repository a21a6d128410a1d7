// <ctime> and <sys/time.h>: clock() is NVRTC's own. Several headers have this text, so it says by itself that
// it was read.
#ifndef WARPLENS_TIME
#define WARPLENS_TIME
#define CLOCKS_PER_SEC 1000000
struct timeval {
  long tv_sec, tv_usec;
};
struct timezone {
  int tz_minuteswest, tz_dsttime;
};
#endif
