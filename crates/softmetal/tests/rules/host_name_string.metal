// `[[host_name(name)]]` takes a string literal.
// accept
[[host_name("a" "_float")]] kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; }
// refuse: 'a'
[[host_name(a_float)]] kernel void a(device int *out [[buffer(0)]]) { out[0] = 1; } // HERE
