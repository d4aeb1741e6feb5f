// Where heads and their states lie, and how a thread has its column of a state: in registers, where
// HELD is the size of a head, else in the memory of the device.
struct Steps {
  int sequence, token, head, element;
};
struct StateSteps {
  int sequence, head, key, value;
};

inline long start(constant Steps &steps, uint sequence, uint head, uint element) {
  return long(sequence) * steps.sequence + long(head) * steps.head + long(element) * steps.element;
}
inline long start(constant StateSteps &steps, uint sequence, uint head, uint value) {
  return long(sequence) * steps.sequence + long(head) * steps.head + long(value) * steps.value;
}

#ifdef HELD
#define MOST HELD
#define EACH_KEY(i) _Pragma("clang loop unroll(full)") for (uint i = 0; i < HELD; i++)
#define TAKE_COLUMN                                                                                \
  float held[HELD];                                                                                \
  EACH_KEY(i) held[i] = column[long(i) * p.state.key]
#define CELL(i) held[i]
#define GIVE_COLUMN EACH_KEY(i) column[long(i) * p.state.key] = held[i]
#else
#define MOST 256
#define EACH_KEY(i) for (uint i = 0; i < p.size; i++)
#define TAKE_COLUMN
#define CELL(i) column[long(i) * p.state.key]
#define GIVE_COLUMN
#endif
