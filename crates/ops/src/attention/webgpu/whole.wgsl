let unseen = start < end && bitcast<u32>(most) == 0xff800000u;
    let bad = broken > 0.0 || unseen;
    let out = i32(row) * params.out_row + i32(head) * params.out_head;
    for (var i = 0u; i < 4u; i++) {
        let d = 4u * thread + i;
        var x = select(sum[i] / total, 0.0, start >= end);
        if bad { x = nan(); }
        if d < params.size { store_out(out + i32(d) * params.out_step, x); }
    }
