// After attention in parts: one threadgroup per head of a row joins them. OUT is the type of the view.
kernel void attention_join(device const float *parts [[buffer(0)]], device OUT *out [[buffer(1)]],
                           constant Params &p [[buffer(BUFFERS)]],
                           uint3 group [[threadgroup_position_in_grid]], TEAM_ARGUMENTS) {
  Team team = TEAM;
  uint head = group.x, row = group.y, stride = p.size + 2;
  parts += ulong(row * p.heads + head) * p.splits * stride;
  float above = -INFINITY, total = 0;
  for (uint s = 0; s < p.splits; s++) above = max(above, parts[s * stride]);
  for (uint s = 0; s < p.splits; s++) {
    total = fma(parts[s * stride + 1], relative(parts[s * stride], above), total);
  }
  out += p.leads[1] + long(row) * p.out_row + long(head) * p.out_head;
  for (uint i = team.index; i < p.size; i += team.threads) {
    float value = 0;
    for (uint s = 0; s < p.splits; s++) {
      value = fma(parts[s * stride + 2 + i], relative(parts[s * stride], above), value);
    }
    // Without a key there is nothing to divide by.
    out[long(i) * p.out_step] = from_float<OUT>(total == 0 ? 0 : value / total);
  }
}
