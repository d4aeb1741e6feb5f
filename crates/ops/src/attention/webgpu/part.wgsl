let place = place_of(row, head, group.z);
    if thread == 0u {
        parts[place] = most;
        parts[place + 1u] = select(total, nan(), broken > 0.0);
    }
    for (var i = 0u; i < 4u; i++) {
        let d = 4u * thread + i;
        if d < params.size { parts[place + 2u + d] = sum[i]; }
    }
