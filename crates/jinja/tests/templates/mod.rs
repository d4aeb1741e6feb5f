//! The hostile templates: everything that a value, operator, filter, test, method or tag could do too
//! much of.

/// Each is hostile in a way of its own.
pub(crate) fn single() -> Vec<String> {
    let mut all: Vec<String> = ONCE.iter().map(|source| (*source).to_owned()).collect();
    for step in DOUBLING {
        all.push(in_loop(step));
        all.push(in_line(step));
    }
    all
}

/// Long chains and deep nests.
pub(crate) fn long_and_deep() -> Vec<String> {
    let mut all = chains();
    all.extend(nests());
    all
}

/// Every use of lists that double as they nest, of long texts and of long lists.
pub(crate) fn uses() -> Vec<String> {
    let mut all = Vec::new();
    for value in ["ns.l", "ns.x", "ns.y", "ns.t", "ns.d"] {
        for use_of in USES {
            all.push(format!("{PREPARED}{{{{ {} }}}}", use_of.replace("VALUE", value)));
        }
    }
    all
}

/// A list, a tuple and a dict of 2^100 items in 100 steps, and a text and a list of a hundred thousand.
const PREPARED: &str = "{% set ns = namespace(l=[1, 'a'], t=('a', 1), d={'k': 'v'}, x='ab ,\n', y=[1, 2, 3]) %}\
     {% for i in range(100) %}{% set ns.l = [ns.l, ns.l] %}{% set ns.t = (ns.t, ns.t) %}\
     {% set ns.d = {'a': ns.d, 'b': ns.d} %}{% endfor %}\
     {% for i in range(15) %}{% set ns.x = ns.x ~ ns.x %}{% set ns.y = ns.y + ns.y %}{% endfor %}";

/// What is done with each of these, called VALUE.
const USES: &[&str] = &[
    "VALUE",
    "VALUE == VALUE",
    "VALUE == [VALUE]",
    "VALUE != VALUE",
    "VALUE < VALUE",
    "VALUE <= VALUE",
    "[VALUE] == [VALUE + VALUE]",
    "VALUE in [VALUE]",
    "VALUE in VALUE",
    "1 in VALUE",
    "'zz' in VALUE",
    "{VALUE: 1}",
    "{(VALUE,): 1}",
    "{1: 2}[VALUE]",
    "{}.get(VALUE)",
    "{'a': 1}[VALUE]",
    "VALUE[VALUE]",
    "VALUE ~ VALUE",
    "VALUE ~ ''",
    "VALUE + VALUE",
    "VALUE * 1000",
    "VALUE * 99999999999",
    "1000 * VALUE",
    "'%s' % (VALUE,)",
    "'%r' % (VALUE,)",
    "'%s%s%s' % (VALUE, VALUE, VALUE)",
    "VALUE % 1",
    "'{}{!r}'.format(VALUE, VALUE)",
    "'{:>10}'.format(VALUE)",
    "VALUE | string",
    "VALUE | tojson",
    "VALUE | tojson(indent=9)",
    "VALUE | tojson(indent=999999999)",
    "VALUE | tojson(indent=VALUE)",
    "VALUE | tojson(separators=(VALUE, VALUE))",
    "VALUE | tojson(sort_keys=true)",
    "VALUE | length",
    "VALUE | list",
    "VALUE | join",
    "VALUE | join(VALUE)",
    "[1, 2, 3] | join(VALUE)",
    "VALUE | sort",
    "VALUE | sort(attribute='0,1,0,1')",
    "[VALUE, VALUE, VALUE] | sort",
    "VALUE | unique | list",
    "[VALUE, VALUE] | unique | list",
    "VALUE | groupby(0)",
    "[VALUE, VALUE] | groupby(0)",
    "VALUE | min",
    "VALUE | max",
    "[VALUE, VALUE] | max",
    "VALUE | sum",
    "VALUE | sum(start=[])",
    "[VALUE, VALUE] | sum(start=[])",
    "VALUE | batch(3) | list",
    "VALUE | batch(99999999, 'x') | list",
    "VALUE | slice(3) | list",
    "VALUE | slice(99999999) | list",
    "VALUE | reverse",
    "VALUE | reverse | list",
    "VALUE | first",
    "VALUE | last",
    "VALUE | map('string') | list",
    "VALUE | map('list') | list",
    "VALUE | map('upper') | join",
    "VALUE | map('map', 'map', 'string') | list",
    "VALUE | map(attribute='0.0.0.0.0.0.0.0') | list",
    "VALUE | map(attribute='a', default=VALUE) | list",
    "VALUE | select | list",
    "VALUE | select('eq', VALUE) | list",
    "VALUE | select('in', VALUE) | list",
    "VALUE | reject('string') | list",
    "VALUE | selectattr(0) | list",
    "VALUE | dictsort",
    "VALUE | dictsort(by='value')",
    "VALUE | items | list",
    "VALUE | default(VALUE)",
    "VALUE | replace('a', VALUE)",
    "VALUE | replace('', VALUE)",
    "VALUE | replace(VALUE, 'b')",
    "VALUE | upper",
    "VALUE | lower",
    "VALUE | title",
    "VALUE | capitalize",
    "VALUE | trim",
    "VALUE | trim(VALUE)",
    "VALUE | indent(99999)",
    "VALUE | indent(VALUE, true)",
    "VALUE | indent(99999999999)",
    "VALUE | truncate(9)",
    "VALUE | center(99999999999)",
    "VALUE | wordcount",
    "VALUE | urlencode",
    "VALUE | escape",
    "VALUE | striptags",
    "VALUE | xmlattr",
    "VALUE | int",
    "VALUE | float",
    "VALUE | abs",
    "VALUE | round",
    "VALUE | filesizeformat",
    "VALUE | format(VALUE, VALUE)",
    "VALUE | attr(VALUE)",
    "VALUE | safe",
    "VALUE is defined",
    "VALUE is lower",
    "VALUE is upper",
    "VALUE is eq VALUE",
    "VALUE is in VALUE",
    "VALUE is sameas VALUE",
    "VALUE is divisibleby VALUE",
    "VALUE.count(VALUE)",
    "VALUE.index(VALUE)",
    "VALUE.count(1)",
    "VALUE.copy()",
    "VALUE.items() | list",
    "VALUE.items()",
    "VALUE.values()",
    "VALUE.strip(VALUE)",
    "VALUE.split('a')",
    "VALUE.split()",
    "VALUE.rsplit()",
    "VALUE.split(VALUE)",
    "VALUE.splitlines()",
    "VALUE.startswith(VALUE)",
    "VALUE.endswith((VALUE, VALUE))",
    "VALUE.replace('b', VALUE)",
    "VALUE.replace('', VALUE)",
    "VALUE.upper()",
    "VALUE.title()",
    "VALUE.swapcase()",
    "VALUE.find(VALUE)",
    "VALUE.find('zz')",
    "VALUE.rfind('ab', 1)",
    "VALUE.join(VALUE)",
    "VALUE.join([VALUE, VALUE, VALUE])",
    "VALUE.join(['a'] * 99999)",
    "VALUE.format(*VALUE)",
    "VALUE.zfill(99999999999)",
    "VALUE.ljust(9999999999)",
    "VALUE.rjust(9999999, 'é')",
    "VALUE.partition('b')",
    "VALUE.rpartition(VALUE)",
    "VALUE.expandtabs(99999999)",
    "VALUE.removeprefix(VALUE)",
    "VALUE.isalpha()",
    "VALUE.istitle()",
    "VALUE[::-1]",
    "VALUE[1:]",
    "VALUE[::2]",
    "VALUE[99999999999:]",
    "VALUE[-99999999999999999999999999999999999999:]",
    "(VALUE ~ 'é')[::-1]",
    "(VALUE ~ 'é')[99999]",
    "raise_exception(VALUE)",
    "strftime_now(VALUE)",
    "namespace(a=VALUE)",
    "namespace(VALUE)",
    "dict(VALUE)",
    "dict(a=VALUE)",
    "range(VALUE)",
    "cycler(*VALUE)",
    "cycler(VALUE).next()",
    "joiner(VALUE)()",
    "VALUE()",
    "VALUE.nope.nope",
    "dict(**VALUE)",
    "VALUE and VALUE or VALUE",
    "not VALUE",
    "-VALUE",
    "VALUE if VALUE else VALUE",
    "[VALUE, VALUE]",
    "{'a': VALUE} == {'a': VALUE}",
    "(VALUE, 1) < (VALUE, 2)",
    "[[VALUE]] | sum(start=[VALUE]) == [VALUE]",
];

/// Steps that double something.
const DOUBLING: &[&str] = &[
    "{% set ns.x = ns.x ~ ns.x %}",
    "{% set ns.x = ns.x + ns.x %}",
    "{% set ns.x = ns.x * 2 %}",
    "{% set ns.x = [ns.x, ns.x] | join %}",
    "{% set ns.x = ns.x | replace('a', ns.x) %}",
    "{% set ns.x = ns.x.replace('b', ns.x) %}",
    "{% set ns.x = ns.x.join([ns.x, ns.x, ns.x]) %}",
    "{% set ns.x = '%s%s' | format(ns.x, ns.x) %}",
    "{% set ns.x = '{}{}'.format(ns.x, ns.x) %}",
    "{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}",
    "{% set ns.x | upper %}{{ ns.x }}{{ ns.x }}{% endset %}",
    "{% set ns.x = (ns.x, ns.x) | string %}",
    "{% set ns.x = [ns.x, ns.x] | tojson %}",
    "{% set ns.x = ns.x | urlencode | escape | indent(9, true) %}",
    "{% set ns.x = ns.x.center(ns.x | length * 2) %}",
    "{% set ns.x = ns.x ~ ns.x[::-1] %}",
    "{% set ns.l = [ns.l, ns.l] %}",
    "{% set ns.l = (ns.l, ns.l) %}{% set ns.x = {ns.l: 1} %}",
    "{% set ns.l = ns.l + ns.l %}{% set ns.x = ns.l | list %}",
    "{% set ns.l = ns.l * 2 %}{% set ns.x = ns.l | tojson %}",
    "{% set ns.l = {'a': ns.l, 'b': ns.l} %}",
    "{% set ns.l = [ns.l, ns.l] %}{% set ns.x = ns.l == [ns.l, ns.l] %}",
    "{% set ns.l = dict(a=ns.l, b=ns.l) %}{% set ns.x = ns.l == ns.l.copy() %}",
    "{% set ns.l = [ns.l, ns.l] | map('list') | list %}",
    "{% set ns.l = ns.l.nope %}",
    "{% set ns.l = {}[ns.l] %}",
    "{% set ns.l = [ns.l].index %}",
    "{% set ns.l = joiner(ns.x) %}{% set ns.x = ns.l() ~ ns.l() ~ ns.x %}",
    "{% set ns.l = cycler(ns.l, ns.l) %}",
    "{% set ns.l = ns.l | groupby(0) %}",
    "{% set ns.l = ns.l | batch(1) %}",
    "{% set ns.l = [ns.l] | reverse %}",
];

const DEFINE: &str = "{% set ns = namespace(x='ab', l=[1, 2]) %}";

fn in_loop(step: &str) -> String {
    format!("{DEFINE}{{% for i in range(5000) %}}{step}{{% endfor %}}{{{{ ns.x }}}}{{{{ ns.l }}}}")
}

fn in_line(step: &str) -> String {
    format!("{DEFINE}{}{{{{ ns.x }}}}{{{{ ns.l }}}}", step.repeat(300))
}

/// One of each.
const ONCE: &[&str] = &[
    "{{ 'x' * 99999999999 }}",
    "{{ ('a' * (0 + 99999999)) | length }}",
    "{{ [0] * 99999999999 }}",
    "{{ (1,) * 9223372036854775807 * 9223372036854775807 }}",
    "{{ range(99999999999) }}",
    "{{ range(-170141183460469231731687303715884105728, 170141183460469231731687303715884105727) }}",
    "{{ range(0, 99999, 1) | list | string | length }}",
    "{{ 9 ** 9 ** 9 ** 9 }}",
    "{{ 2 ** 99999999999 }}",
    "{{ (-1) ** 99999999999999999999999999999 }}",
    "{{ 2.0 ** 99999 }}",
    "{{ 0 ** -1 }}",
    "{{ 1e308 * 10 }}{{ 1e999 }}{{ -1e999 // 1 }}{{ 1e999 % 2 }}{{ (1e999 | int) }}{{ 1e999 | round }}",
    "{{ 170141183460469231731687303715884105727 + 1 }}",
    "{{ -170141183460469231731687303715884105727 - 2 }}",
    "{{ (-170141183460469231731687303715884105727 - 1) // -1 }}",
    "{{ (-170141183460469231731687303715884105727 - 1) % -1 }}",
    "{{ (-170141183460469231731687303715884105727 - 1) | abs }}",
    "{{ -(-170141183460469231731687303715884105727 - 1) }}",
    "{{ (-170141183460469231731687303715884105727 - 1) | round(-38) }}",
    "{{ 170141183460469231731687303715884105727 | round(-38) }}",
    "{{ (-170141183460469231731687303715884105727 - 1) is divisibleby(-1) }}",
    "{{ '%.3d' % (-170141183460469231731687303715884105727 - 1) }}",
    "{{ 99999999999999999999999999999999999999999999 }}",
    "{{ [1, 2, 3][170141183460469231731687303715884105727] }}",
    "{{ [1, 2, 3][-170141183460469231731687303715884105727 - 1:170141183460469231731687303715884105727] }}",
    "{{ [1, 2, 3][::170141183460469231731687303715884105727] }}",
    "{{ range(5)[::-170141183460469231731687303715884105727] }}",
    "{{ 'abc'.find('b', -170141183460469231731687303715884105727 - 1) }}",
    "{{ '%1000000000d' % 1 }}",
    "{{ '%-1000000000s' % 1 }}",
    "{{ '%.1000000000f' % 1 }}",
    "{{ '%.1000000000d' % 1 }}",
    "{{ '%.1000000000e' % 1 }}",
    "{{ '%.1000000000g' % 1 }}",
    "{{ '%.9999g%.9999f%.9999e' % (1, 1e300, 1e-300) }}",
    "{{ '%*d' % (99999999999, 1) }}",
    "{{ '%99999999999999999999999999999999999999999999d' % 1 }}",
    "{{ '%999999999d' | format(1) }}",
    "{{ '{:>999999999}'.format('x') }}",
    "{{ '{:.999999999f}'.format(1) }}",
    "{{ '{:{w}}'.format(1, w=999999999) }}",
    "{{ '{:,.9999f}'.format(1e300) }}",
    "{{ '{0[0][0][0]}'.format([[[1]]]) }}{{ '{0.a.b}'.format({'a': {'b': 1}}) }}",
    "{{ ('{' * 99999).format(1) }}{{ ('{}' * 99999).format(1) }}",
    "{{ ('{0' ~ '[0]' * 99999 ~ '}').format([1]) }}",
    "{{ ('%(' * 99999) % {} }}",
    "{{ ('%s' * 99999) % (1,) }}",
    "{{ ('%d' * 99999) % ((1,) * 99999) }}",
    "{{ 'x' | indent(999999999, true) }}",
    "{{ ('x\n' * 99999) | indent(99999) }}",
    "{{ [1] | batch(999999999, 'x') | list }}",
    "{{ [1] | slice(999999999, 'x') | list }}",
    "{{ 'x'.zfill(99999999999) }}",
    "{{ 'x'.center(99999999999, 'é') }}",
    "{{ '\t\t\t\t'.expandtabs(99999999999) }}",
    "{{ ('a' * 9999999).replace('a', 'b' * 9999999) }}",
    "{{ ('a' * 9999999) | replace('', 'bbbbbbbbbbbbbbbb') }}",
    "{{ ('a' * 9999999).split('a') }}",
    "{{ ('a ' * 9999999).split() }}",
    "{{ ('a\n' * 9999999).splitlines() }}",
    "{{ ('a' * 9999999) | list }}",
    "{{ ('ab' * 99999).find('ba' * 50000) }}{{ ('a' * 999999).count('a' * 5000 ~ 'b') }}",
    "{{ ('a' * 999999).strip('b' * 999999 ~ 'a') }}",
    "{{ ('Σ' * 9999999) | lower }}{{ ('ΐ' * 9999999) | upper }}",
    "{{ ('\x01' * 9999999) | tojson }}{{ ('\x01' * 9999999,) | string }}",
    "{{ ['x' * 9999999] * 50 | tojson }}",
    "{{ [1] | tojson(indent=99999999999) }}",
    "{{ [1] | tojson(separators=('x' * 9999999, 'y')) }}",
    "{{ [[[[1]]]] | tojson(indent='x' * 9999999) }}",
    "{{ raise_exception('x' * 60000000) }}",
    "{{ ('x' * 60000000)['y' * 999] }}{{ {}['y' * 60000000].z }}{{ {}.get('y' * 9999999).z }}",
    "{{ strftime_now('%Y' * 9999999) }}",
    "{{ dict(**{'x' * 9999999: 1}) }}",
    "{{ namespace(**{'x' * 9999999: 1}) }}",
    "{{ range(99999) | map('string') | map('upper') | list | sort | unique | list | join | length }}",
    "{{ range(99999) | map(attribute='x') | list | length }}",
    "{{ range(99999) | map(attribute='x.y' * 9) | list | length }}",
    "{{ range(99999) | groupby(0) | length }}",
    "{{ range(99999) | batch(1) | map('first') | sum }}",
    "{{ range(99999) | select('in', range(99999) | list) | list | length }}",
    "{{ (range(99999) | list).index(99998) }}{% for i in range(99999) %}{{ (range(99999) | list).index(99998) }}{% endfor %}",
    "{{ dict(range(99999) | batch(2)) | length }}",
    "{{ [nan] | sort }}{{ ['nan' | float, 1.0, 'nan' | float, 0.5] * 99 | sort | length }}",
    "{{ ['nan' | float] * 99 | groupby(0) }}{{ [['nan' | float]] * 99 | groupby(0) | length }}",
    "{{ ['nan' | float, 'inf' | float] | unique | list }}{{ {'nan' | float: 1} }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}",
    "{% for a in range(99999) %}{% set x = 'y' * 99999 %}{% endfor %}",
    "{% for a in range(99999) %}text of the template itself{% endfor %}",
    "{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}",
    "{% set y %}{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}{% endset %}",
    "{% filter upper %}{% for a in range(99999) %}{{ 'x' * 99999 }}{% endfor %}{% endfilter %}",
    "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + [i] %}{% endfor %}",
    "{% set ns = namespace(l=[], s='x' * 9000000) %}{% for i in range(900) %}{% set ns.l = ns.l + [ns.s[1:]] %}{% endfor %}",
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ g() }}{% endmacro %}{% macro g() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f(n) %}{{ f(n + 1) }}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(20) }}",
    "{% macro f(x, n) %}{% if n > 0 %}{{ f(x ~ x, n - 1) }}{% else %}{{ x }}{% endif %}{% endmacro %}{{ f('ab', 60) }}",
    "{% macro f(x=f()) %}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ caller() }}{% endmacro %}{% macro g() %}{% call f() %}{{ g() }}{% endcall %}{% endmacro %}{{ g() }}",
    "{% macro f(a) %}{% call f(a) %}{% endcall %}{{ caller() }}{% endmacro %}{{ f(1) }}",
    "{% macro f() %}{% for i in [1] %}{% if 1 %}{% with a = 1 %}{% filter upper %}{{ ((((f())))) }}{% endfilter %}{% endwith %}{% endif %}{% endfor %}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ [[[[[[[[f()]]]]]]]] | map('first') | list | tojson ~ (1 + (2 * (3 - f() | length))) }}{% endmacro %}{{ f() }}",
    "{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    "{% for x in [[1, 2, 3]] recursive %}{{ loop([x, x, x]) }}{% endfor %}",
    "{% macro m() %}{{ kwargs }}{{ varargs }}{% endmacro %}{{ m(*range(99999)) }}{{ m(*('a' * 9999999)) }}",
    "{% for i in range(99) %}{% macro m() %}{{ i }}{% endmacro %}{% set l = [m] * 99999 %}{% endfor %}",
    "{% set l = [loop] %}{% for x in [1] %}{% set l = [loop] * 9999 %}{{ l }}{% endfor %}",
    "{{ 'a' | map('map', 'map', 'map', 'map', 'map', 'upper') | list }}",
    "{{ messages | tojson | tojson | tojson | tojson | tojson | tojson | tojson | tojson | tojson | length }}",
];

/// Chains that are long, but flat.
fn chains() -> Vec<String> {
    let wrap = |inside: String| format!("{{{{ {inside} }}}}");
    let mut all = Vec::new();
    for count in [19_400, 90_000, 250_000] {
        for (start, link) in [
            ("1", "-1"),
            ("1", " + 1"),
            ("'a'", " ~ 'a'"),
            ("1", " * 1"),
            ("1", " ** 1"),
            ("1", " and 1"),
            ("0", " or 0"),
            ("1", " == 1"),
            ("1", " < 2"),
            ("1", " in [1]"),
            ("1", " if 1"),
            ("1", " if 1 else 1"),
            ("1", "|abs"),
            ("a", ".b"),
            ("a", "[0]"),
            ("a", "()"),
            ("a", "[1:]"),
            ("1", " is defined"),
            ("'a'", " 'b'"),
            ("1", ", 1"),
            ("d", ".get('a', {})"),
            ("'a'", ".upper()"),
            ("[1]", " + [1]"),
            ("1", "|default(1)"),
            ("1", " not in []"),
        ] {
            all.push(wrap(format!("{start}{}", link.repeat(count))));
        }
        for front in [
            "-",
            "+",
            "not ",
            "- + ",
            "(",
            "[",
            "{",
            "{1:",
            "a(",
            "a[",
            "a(b=",
            "a|b(",
            "a is b(",
            "1 if ",
            "1 if 1 else ",
            "1 + (",
            "[*",
        ] {
            all.push(wrap(format!("{}1", front.repeat(count))));
        }
        all.push(format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(count / 3)));
        all.push("{% set x = 1 %}".repeat(count / 4));
        all.push("{{ x }}".repeat(count / 2));
        all.push("{# c #}".repeat(count / 2));
        all.push("{% raw %}a{% endraw %}".repeat(count / 6));
        all.push("{".repeat(count));
        all.push("{%".repeat(count));
        all.push("{{".repeat(count));
        all.push("{#".repeat(count));
        all.push("{% raw %}".to_owned() + &"{% ".repeat(count));
        all.push(wrap(format!("f({})", "a=1, ".repeat(count / 2))));
        all.push(wrap(format!(
            "f({})",
            (0..count / 4).map(|i| format!("a{i}=1,")).collect::<String>()
        )));
        all.push(format!(
            "{{% macro m({}) %}}{{% endmacro %}}",
            (0..count / 4).map(|i| format!("a{i},")).collect::<String>()
        ));
        all.push((0..count / 8).map(|i| format!("{{% set a{i} = 1 %}}")).collect());
        all.push(wrap(format!("'a'|map({})|list", "'map', ".repeat(count / 2))));
        all.push(wrap("\"".to_owned() + &"\\x41".repeat(count)));
        all.push(wrap("9".repeat(count)));
        all.push(wrap("1e".to_owned() + &"9".repeat(count)));
        all.push(wrap("a".repeat(count) + "." + &"b".repeat(count)));
        all.push(wrap(format!("a|{}", "b.".repeat(count))));
        all.push("\n".repeat(count) + "{{ x.y }}");
        all.push(" ".repeat(count) + "{% if x %}" + &" ".repeat(count));
    }
    // Names that take long to hash.
    let name = "n".repeat(1000);
    all.push(format!("{{% for i in range(99999) %}}{{{{ messages[0].{name} }}}}{{% endfor %}}"));
    all.push(format!("{{% macro m({name}) %}}{{% endmacro %}}{{% for i in range(99999) %}}{{{{ m({name}=1) }}}}{{% endfor %}}"));
    // Many variables in every call of a recursive macro.
    let sets: String = (0..9000).map(|i| format!("{{% set a{i} = 1 %}}")).collect();
    all.push(format!("{{% macro f() %}}{sets}{{{{ f() }}}}{{% endmacro %}}{{{{ f() }}}}"));
    // Constants that would be large if they were worked out beforehand.
    all.push("{{ ('a' * (0 + 99999999)) | length }}".repeat(300));
    all.push(format!("{{{{ {} }}}}", vec!["('x' * 99999999)"; 50].join(" ~ ")));
    // A long text of the template, again and again.
    let raw = "x".repeat(100_000);
    all.push(format!(
        "{{% set y %}}{{% for i in range(99999) %}}{raw}{{% endfor %}}{{% endset %}}"
    ));
    all.push(format!("{{% for i in range(99999) %}}{{% set x = '{raw}' %}}{{% endfor %}}"));
    all
}

/// Tags and expressions in each other, as deep as allowed and deeper.
fn nests() -> Vec<String> {
    let mut all = Vec::new();
    for depth in [20, 60, 63, 64, 5000, 40_000] {
        for (open, inside, close) in [
            ("{% if 1 %}", "x", "{% endif %}"),
            ("{% for a in [1] %}", "x", "{% endfor %}"),
            ("{% for a in [1, 2] %}", "x", "{% endfor %}"),
            ("{% with a = 1 %}", "x", "{% endwith %}"),
            ("{% filter upper %}", "x", "{% endfilter %}"),
            ("{% set a %}", "x", "{% endset %}"),
            ("{% generation %}", "x", "{% endgeneration %}"),
            ("{% macro m() %}", "x", "{% endmacro %}"),
            ("{% call m() %}", "x", "{% endcall %}"),
            ("{% if 0 %}{% else %}", "x", "{% endif %}"),
            ("{{ (", "1", ") }}"),
            ("{% if ", "1", " %}"),
        ] {
            all.push(open.repeat(depth) + inside + &close.repeat(depth));
        }
        for (open, inside, close) in [
            ("(", "1", ")"),
            ("[", "1", "]"),
            ("{1: ", "1", "}"),
            ("[[1]|map('list'), ", "1", "]"),
            ("(1 + ", "1", ")"),
            ("('a' ~ ", "1", ")"),
            ("not (", "1", ")"),
            ("-(", "1", ")"),
            ("(1 if ", "1", " else 2)"),
            ("[1][", "0", "]"),
            ("range(", "1", ")"),
            ("dict(a=", "1", ")"),
            ("(1|default(", "1", "))"),
            ("(1 is eq(", "1", "))"),
            ("'a'.join([", "'b'", "])"),
            ("(1 < ", "1", ")"),
            ("(1 and ", "1", ")"),
            ("[1, 2][", "1", ":]"),
        ] {
            all.push(format!("{{{{ {}{inside}{} }}}}", open.repeat(depth), close.repeat(depth)));
            // The same in a macro that calls itself.
            all.push(format!(
                "{{% macro f() %}}{{{{ {}f(){} }}}}{{% endmacro %}}{{{{ f() }}}}",
                open.repeat(depth.min(50)),
                close.repeat(depth.min(50))
            ));
        }
        all.push(format!(
            "{{% for {}a{} in [1] %}}{{% endfor %}}",
            "(".repeat(depth),
            ",)".repeat(depth)
        ));
    }
    // Deep values, where calls are deep.
    for calls in [20, 40, 45, 49, 50, 51, 60, 65, 66, 67] {
        all.push(format!(
            "{{% set ns = namespace(l=[], d={{}}) %}}{{% for i in range(128) %}}{{% set ns.l = [ns.l] %}}\
             {{% set ns.d = {{'a': ns.d}} %}}{{% endfor %}}{{% macro f(n) %}}{{% if n %}}{{{{ f(n - 1) }}}}\
             {{% else %}}{{{{ ns }}}}{{{{ ns.l | tojson }}}}{{{{ ns.d | tojson(sort_keys=true) }}}}\
             {{{{ ns.l == [ns.l][0] }}}}{{{{ ns.l < ns.l }}}}{{{{ ns.d == ns.d.copy() }}}}{{{{ [ns, [ns]] }}}}\
             {{% endif %}}{{% endmacro %}}{{{{ f({calls}) }}}}"
        ));
    }
    all
}
