'use strict';

// Names of queries, tags and errors come from jobs: they are text, never markup.
(() => {
  const REFRESH_SECONDS = 30;
  const OLD_SECONDS = 120;
  const TOO_OLD_SECONDS = 600;
  const ROWS = 40;

  const STATES = {
    FAILED: ['failed', 'bad', 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zM4.2 5.6l1.4-1.4L8 6.6l2.4-2.4 1.4 1.4L9.4 8l2.4 2.4-1.4 1.4L8 9.4l-2.4 2.4-1.4-1.4L6.6 8z'],
    HUNG: ['hung', 'bad', 'M0 0h16v16H0zM4 4v8h3V4zM9 4v8h3V4z'],
    SILENT: ['silent', 'bad', 'M8 0a8 8 0 1 0 0 16A8 8 0 0 0 8 0zm0 2.4a5.6 5.6 0 0 1 3.3 1.1L3.5 11.3A5.6 5.6 0 0 1 8 2.4zm0 11.2a5.6 5.6 0 0 1-3.3-1.1l7.8-7.8A5.6 5.6 0 0 1 8 13.6z'],
    STALLED: ['stalled', 'warn', 'M8 0l8 8-8 8-8-8zM7 4v5h2V4zM7 10v2h2v-2z'],
    FALLING_BEHIND: ['falling behind', 'warn', 'M0 2h16L8 15z'],
    RESTARTING: ['restarting', 'warn', 'M8 3a6 6 0 1 0 6 6h-2.2A3.8 3.8 0 1 1 8 5.2V8l5-4-5-4z'],
    LONG_BATCH: ['long batch', 'watch', 'M2 0h12v3L9.5 8l4.5 5v3H2v-3l4.5-5L2 3z'],
    CATCHING_UP: ['catching up', 'watch', 'M8 1l8 13H0z'],
    STOPPED: ['stopped', 'mute', 'M1 1h14v14H1zM3.5 3.5v9h9v-9z'],
    IDLE: ['idle', 'mute', 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1zm0 2.4a4.6 4.6 0 1 1 0 9.2 4.6 4.6 0 0 1 0-9.2z'],
    OK: ['ok', 'ok', 'M6.2 13.6L.8 8.2l2-2 3.4 3.4L13.2 2.4l2 2z'],
  };
  const UNKNOWN_STATE = ['unknown', 'mute', 'M7 4v5h2V4zM7 10v2h2v-2z'];
  const WARNING = 'M8 0l8 15H0zM7 5v5h2V5zM7 11v2h2v-2z';
  const EVENTS = {
    STARTED: { dash: [5, 4], tone: 'watch', line: 'dashed' },
    FAILED: { dash: [], tone: 'bad', line: 'solid' },
    STOPPED: { dash: [2, 3], tone: 'mute', line: 'dotted' },
  };

  const $ = (id) => document.getElementById(id);
  const embedded = $('fleet');
  const histories = new Map();
  for (const script of document.querySelectorAll('script[data-query]')) {
    histories.set(script.dataset.query, script);
  }

  let fleet = null;
  let byId = new Map();
  // How many queries have each. Without a prototype: a name may be one of its.
  let applications = Object.create(null);
  let tags = Object.create(null);
  let refreshedAt = 0;
  let nextRefreshAt = 0;
  // The browser's clock may be wrong; the server's is the one the ages are about.
  let skew = 0;
  let page = '';

  const now = () => Date.now() + skew;
  const seen = () => (embedded ? Date.parse(fleet.readAt) : now());

  // ---- text

  const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
  const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
  const whole = new Intl.NumberFormat('en');
  const byText = new Intl.Collator('en', { numeric: true }).compare;
  const is = (value) => value !== undefined && value !== null;

  const number = (value) => (is(value) ? (Math.abs(value) < 1000 ? plain : compact).format(value) : '–');
  const count = (value) => (is(value) ? whole.format(value) : '–');

  function duration(seconds) {
    if (!is(seconds)) return '–';
    const s = Math.abs(seconds);
    const sign = seconds < 0 ? '−' : '';
    if (s === 0) return '0 s';
    if (s < 0.9995) return `${sign}${plain.format(s * 1000)} ms`;
    if (s < 10) return `${sign}${Number(s.toFixed(1))} s`;
    if (s < 99.5) return `${sign}${Math.round(s)} s`;
    if (s < 99.5 * 60) return `${sign}${Math.round(s / 60)} min`;
    if (s < 47.5 * 3600) return `${sign}${Math.round(s / 3600)} h`;
    return `${sign}${whole.format(Math.round(s / 86400))} d`;
  }

  const wholeSeconds = (seconds) => duration(seconds < 10 ? Math.max(0, Math.floor(seconds)) : seconds);
  const millis = (value) => duration(is(value) ? value / 1000 : value);

  /** Steps of an axis of time: halves and quarters of an hour rather than thousands of seconds. */
  const STEPS = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
    7200, 10800, 21600, 43200, 86400, 172800, 432000, 864000, 2592000, 8640000, 31536000,
  ];
  const SECONDS = { format: duration, steps: STEPS, tick: tickDuration };
  const MILLIS = { format: millis, steps: STEPS.map((step) => step * 1000), tick: (value) => tickDuration(value / 1000) };

  function tickDuration(s) {
    if (s < 100) return duration(s);
    const [unit, name] = s < 6000 ? [60, 'min'] : s < 172800 ? [3600, 'h'] : [86400, 'd'];
    return `${whole.format(Number((s / unit).toFixed(1)))} ${name}`;
  }

  function bytes(value) {
    if (!is(value)) return '–';
    let unit = 0;
    while (value >= 1000 && unit < 5) {
      value /= 1000;
      unit++;
    }
    return `${plain.format(value)} ${['B', 'kB', 'MB', 'GB', 'TB', 'PB'][unit]}`;
  }

  const times = (value) => (is(value) ? `${value < 10 ? value.toFixed(2) : number(value)}×` : '–');
  const utc = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const nameOf = (query) => query.queryName || query.queryId;
  const applicationOf = (query) => query.applicationName || query.applicationId || '';
  const stateOf = (query) => STATES[query.state] || [String(query.state), ...UNKNOWN_STATE.slice(1)];
  const ageOf = (at) => (is(at) ? Math.max(0, (seen() - Date.parse(at)) / 1000) : undefined);
  const signalText = (signal) => signal.toLowerCase().replaceAll('_', ' ');
  const plural = (n, word, words) => `${whole.format(n)} ${n === 1 ? word : words}`;

  // ---- elements

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else if (is(value) && value !== false) node.setAttribute(name, value === true ? '' : value);
    }
    node.append(...children.filter((child) => is(child) && child !== false));
    return node;
  }

  function shape(path) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 16 16');
    svg.setAttribute('class', 'shape');
    svg.setAttribute('aria-hidden', 'true');
    const node = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    node.setAttribute('d', path);
    svg.append(node);
    return svg;
  }

  function badge(query) {
    const [text, tone, path] = stateOf(query);
    return el('span', { class: `state ${tone}` }, shape(path), text);
  }

  const chip = (text, kind) => el('span', { class: `chip ${kind || ''}` }, text);

  /** Sets text only where it differs, so that a selection outlives a refresh. */
  function setText(node, text) {
    if (node.textContent !== text) node.textContent = text;
  }

  function cell(node, text) {
    setText(node, text);
    node.classList.toggle('none', text === '–');
  }

  // ---- tables that sort

  function header(table, columns, sorting, change) {
    const row = el('tr');
    for (const column of columns) {
      const th = el('th', { scope: 'col', class: `${column.cell || ''} ${column.number ? 'num' : ''}` });
      if (column.by) {
        th.append(
          el('button', {
            type: 'button',
            title: column.title,
            'data-sort': column.key,
            onclick: () => {
              const first = column.number && !column.ascending ? 'desc' : 'asc';
              const at = sorting();
              const same = at.key === column.key;
              if (same && at.direction !== first) change('', '');
              else change(column.key, same ? (first === 'asc' ? 'desc' : 'asc') : first);
            },
          }, column.label),
        );
      } else {
        th.append(el('span', { class: 'plain', title: column.title }, column.label));
      }
      row.append(th);
    }
    table.tHead.replaceChildren(row);
  }

  function markSorted(table, { key, direction }) {
    for (const button of table.tHead.querySelectorAll('button')) {
      const th = button.parentNode;
      if (button.dataset.sort === key) th.setAttribute('aria-sort', direction === 'asc' ? 'ascending' : 'descending');
      else th.removeAttribute('aria-sort');
    }
  }

  /** What is missing comes last in either direction; what is equal stays in its order. */
  function sorted(rows, columns, { key, direction }) {
    const column = columns.find((candidate) => candidate.key === key && candidate.by);
    if (!column) return rows;
    const sign = direction === 'desc' ? -1 : 1;
    const keyed = rows.map((row) => [column.by(row), row]);
    keyed.sort(([a], [b]) => {
      if (!is(a) || !is(b)) return is(a) ? -1 : is(b) ? 1 : 0;
      if (typeof a === 'string') return sign * byText(a, b);
      return sign * (a - b);
    });
    return keyed.map(([, row]) => row);
  }

  // ---- the fleet

  const COLUMNS = [
    { key: 'state', label: 'State', cell: 'c-state', by: (q) => q.severity },
    { key: 'name', label: 'Query', cell: 'c-name', by: nameOf },
    { key: 'application', label: 'Application', cell: 'c-application', by: (q) => applicationOf(q) || undefined },
    { key: 'why', label: 'Why', cell: 'c-why' },
    { key: 'age', label: 'Last event', cell: 'c-age', number: true, by: (q) => ageOf(q.lastEventAt), title: 'Time since its newest record' },
    { key: 'in', label: 'In/s', cell: 'c-in', number: true, by: (q) => q.inputRowsPerSecond, title: 'Rows that arrive per second' },
    { key: 'out', label: 'Out/s', cell: 'c-out', number: true, by: (q) => q.processedRowsPerSecond, title: 'Rows it can process per second' },
    { key: 'headroom', label: 'Headroom', cell: 'c-headroom', number: true, ascending: true, by: (q) => q.headroom, title: 'Processed by input; below 1 it can’t keep up' },
    { key: 'lag', label: 'Lag', cell: 'c-lag', number: true, by: (q) => q.lagRecords, title: 'Records it has yet to read' },
    { key: 'lagTime', label: 'Lag time', cell: 'c-lag-seconds', number: true, by: (q) => q.lagSeconds, title: 'How far it is behind in time' },
    { key: 'eta', label: 'Caught up', cell: 'c-eta', number: true, by: (q) => q.catchUpSeconds, title: 'When the lag is gone at this rate' },
    { key: 'spark', label: 'Lag lately', cell: 'c-spark' },
  ];

  const NO_FILTER = () => ({ states: new Set(), application: '', tags: [], text: '', sort: { key: '', direction: '' } });
  let filter = NO_FILTER();
  const rowsById = new Map();
  let shown = [];
  let renderedRows = 0;

  const fleetHash = () => {
    const parameters = new URLSearchParams();
    if (filter.states.size) parameters.set('state', [...filter.states].join(','));
    if (filter.application) parameters.set('application', filter.application);
    for (const tag of filter.tags) parameters.append('tag', tag);
    if (filter.text) parameters.set('q', filter.text);
    if (filter.sort.key) parameters.set('sort', `${filter.sort.key}:${filter.sort.direction}`);
    const text = parameters.toString();
    return text ? `#/?${text}` : '#/';
  };

  function readFilter(parameters) {
    filter = NO_FILTER();
    for (const state of (parameters.get('state') || '').split(',')) {
      if (STATES[state]) filter.states.add(state);
    }
    filter.application = parameters.get('application') || '';
    filter.tags = parameters.getAll('tag');
    filter.text = parameters.get('q') || '';
    const [key, direction] = (parameters.get('sort') || '').split(':');
    if (COLUMNS.some((column) => column.key === key && column.by)) {
      filter.sort = { key, direction: direction === 'desc' ? 'desc' : 'asc' };
    }
  }

  function filterChanged() {
    history.replaceState(null, '', fleetHash());
    showFleet();
  }

  function index(data) {
    fleet = data;
    byId = new Map();
    applications = Object.create(null);
    tags = Object.create(null);
    for (const query of fleet.queries) {
      byId.set(query.queryId, query);
      query.tagTexts = Object.entries(query.tags || {}).map(([key, value]) => `${key}=${value}`);
      const application = applicationOf(query);
      if (application) applications[application] = (applications[application] || 0) + 1;
      for (const tag of query.tagTexts) tags[tag] = (tags[tag] || 0) + 1;
      query.haystack = [
        query.queryName, query.queryId, query.runId, query.applicationName, query.applicationId, query.reason,
        query.host, query.clusterId, query.jobId, query.jobRunId, query.errorClass, stateOf(query)[0],
        ...(query.signals || []).map(signalText), ...query.tagTexts, ...(query.jobTags || []),
      ].join('\n').toLowerCase();
    }
    for (const id of rowsById.keys()) {
      if (!byId.has(id)) rowsById.delete(id);
    }
  }

  function matchingInAnyState() {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    return fleet.queries.filter((query) =>
      (!filter.application || applicationOf(query) === filter.application)
      && filter.tags.every((tag) => query.tagTexts.includes(tag))
      && words.every((word) => query.haystack.includes(word)));
  }

  function showFleet(keep) {
    if (!fleet) return;
    const others = matchingInAnyState();
    showStates(others);
    showFilters();
    const found = sorted(
      others.filter((query) => !filter.states.size || filter.states.has(query.state)), COLUMNS, filter.sort);
    markSorted($('queries'), filter.sort);
    showRows(found, keep);
    const all = fleet.queries.length;
    setText($('count'), found.length === all ? plural(all, 'query', 'queries') : `${whole.format(found.length)} of ${plural(all, 'query', 'queries')}`);
    const nothing = $('nothing');
    nothing.hidden = found.length > 0;
    $('queries').hidden = found.length === 0;
    setText(nothing, all
      ? 'No query matches these filters.'
      : 'The table has no record of a query yet. The first appears seconds after a job with the agent starts a query and the consumer appends it.');
  }

  function showStates(queries) {
    const counts = {};
    for (const query of queries) counts[query.state] = (counts[query.state] || 0) + 1;
    const host = $('states');
    const focused = host.contains(document.activeElement) ? document.activeElement.dataset.state : null;
    const inFleet = new Set(fleet.queries.map((query) => query.state));
    host.replaceChildren();
    for (const [state, [text, tone, path]] of Object.entries(STATES)) {
      if (!inFleet.has(state) && !filter.states.has(state)) continue;
      const button = el('button', {
        type: 'button',
        class: tone,
        'data-state': state,
        'aria-pressed': String(filter.states.has(state)),
        onclick: () => {
          if (!filter.states.delete(state)) filter.states.add(state);
          filterChanged();
        },
      }, el('b', {}, count(counts[state] || 0)), shape(path), el('span', {}, text));
      host.append(button);
      if (state === focused) button.focus();
    }
  }

  function options(select, counts, first, chosen) {
    const texts = Object.keys(counts).sort(byText).map((text) => [text, `${text} (${counts[text]})`]);
    const key = JSON.stringify([texts, first, chosen]);
    if (select.shows === key) return;
    select.shows = key;
    select.replaceChildren(el('option', { value: '' }, first), ...texts.map(([value, label]) => el('option', { value }, label)));
    select.value = chosen;
  }

  function showFilters() {
    const others = { ...tags };
    for (const tag of filter.tags) delete others[tag];
    options($('application'), filter.application ? { [filter.application]: 0, ...applications } : applications, 'any', filter.application);
    options($('tag'), others, filter.tags.length ? 'and …' : 'any', '');
    if (document.activeElement !== $('search')) $('search').value = filter.text;
    $('tags').replaceChildren(...filter.tags.map((tag) =>
      el('button', {
        type: 'button',
        class: 'chip',
        'aria-label': `Remove the filter ${tag}`,
        onclick: () => {
          filter.tags = filter.tags.filter((other) => other !== tag);
          filterChanged();
          $('tag').focus();
        },
      }, `${tag} ✕`)));
    $('clear').hidden = !(filter.states.size || filter.application || filter.tags.length || filter.text);
    for (const link of document.querySelectorAll('[data-fleet-link]')) link.setAttribute('href', fleetHash());
  }

  const queryHash = (id) => `#/query/${encodeURIComponent(id)}`;

  function rowOf(query) {
    let row = rowsById.get(query.queryId);
    if (!row) {
      row = $('query-row').content.firstElementChild.cloneNode(true);
      row.dataset.id = query.queryId;
      row.querySelector('a').setAttribute('href', queryHash(query.queryId));
      rowsById.set(query.queryId, row);
    }
    if (row.shows !== query) {
      fill(row, query);
      row.shows = query;
    }
    return row;
  }

  function fill(row, query) {
    const [state, name, application, why, age, input, output, headroom, lag, lagTime, eta, spark] = row.children;
    const [text, tone, path] = stateOf(query);
    const label = state.firstChild;
    label.className = `state ${tone}`;
    label.firstChild.firstChild.setAttribute('d', path);
    setText(label.lastChild, text);
    setText(name.firstChild, nameOf(query));
    setText(application, applicationOf(query));
    setText(why.firstChild, query.reason || '');
    why.lastChild.replaceChildren(...(query.signals || []).map((signal) => chip(signalText(signal), 'signal')));
    cell(age, wholeSecondsOr(ageOf(query.lastEventAt)));
    cell(input, number(query.inputRowsPerSecond));
    cell(output, number(query.processedRowsPerSecond));
    cell(headroom, times(query.headroom));
    headroom.classList.toggle('strong', query.headroom < 1);
    cell(lag, number(query.lagRecords));
    cell(lagTime, duration(query.lagSeconds));
    cell(eta, is(query.catchUpSeconds) ? duration(query.catchUpSeconds) : '–');
    drawSpark(spark.firstChild, query.spark && query.spark.lag);
  }

  const wholeSecondsOr = (seconds) => (is(seconds) ? wholeSeconds(seconds) : '–');

  function drawSpark(svg, values) {
    const [area, line] = svg.children;
    const known = (values || []).filter(is);
    svg.classList.toggle('unseen', known.length < 2);
    if (known.length < 2) {
      svg.setAttribute('aria-label', 'no history of lag');
      return;
    }
    const top = Math.max(1, ...known);
    const step = 96 / (values.length - 1);
    let d = '';
    let filled = '';
    let from = null;
    const close = (x) => {
      if (from !== null) filled += `L${x} 22L${from} 22Z`;
      from = null;
    };
    let x = 0;
    values.forEach((value, i) => {
      if (!is(value)) {
        close(x);
        return;
      }
      x = Math.round(i * step * 10) / 10;
      const point = `${x} ${Math.round((21 - (20 * value) / top) * 10) / 10}`;
      d += (from === null ? 'M' : 'L') + point;
      filled += (from === null ? 'M' : 'L') + point;
      if (from === null) from = x;
    });
    close(x);
    area.setAttribute('d', filled);
    line.setAttribute('d', d);
    svg.setAttribute('aria-label', `lag from ${number(known[0])} to ${number(known[known.length - 1])}, highest ${number(Math.max(...known))}`);
  }

  /** Only the rows near the window, and more as it nears their end: a filter answers at once. */
  function showRows(queries, keep) {
    const body = $('queries').tBodies[0];
    const same = queries.length === shown.length && queries.every((query, i) => query.queryId === shown[i].queryId);
    shown = queries;
    if (same) {
      queries.slice(0, renderedRows).forEach(rowOf);
      return;
    }
    const focused = body.contains(document.activeElement) ? document.activeElement.closest('tr') : null;
    const scrolled = window.scrollY;
    const rows = queries.slice(0, Math.max(ROWS, keep ? renderedRows : 0)).map(rowOf);
    body.replaceChildren(...rows);
    renderedRows = rows.length;
    if (keep) {
      window.scrollTo(window.scrollX, scrolled);
      if (focused && focused.isConnected) focused.querySelector('a').focus({ preventScroll: true });
    }
    watchEnd();
  }

  function showMore(number) {
    const rows = shown.slice(renderedRows, renderedRows + number).map(rowOf);
    $('queries').tBodies[0].append(...rows);
    renderedRows += rows.length;
    watchEnd();
  }

  const endWatcher = new IntersectionObserver(([end]) => {
    if (end.isIntersecting) showMore(ROWS);
  }, { rootMargin: '0px 0px 1500px' });

  function watchEnd() {
    const more = $('more');
    more.hidden = renderedRows >= shown.length;
    setText(more, `Show all ${whole.format(shown.length)} rows`);
    // Only a new observation tells of an end that was near before and still is.
    endWatcher.unobserve(more);
    if (!more.hidden) endWatcher.observe(more);
  }

  function growOlder() {
    for (const row of $('queries').tBodies[0].rows) {
      cell(row.querySelector('.c-age'), wholeSecondsOr(ageOf(byId.get(row.dataset.id).lastEventAt)));
    }
  }

  // ---- one query

  let open = null;

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  async function readHistory(id) {
    if (embedded) {
      const script = histories.get(id);
      return script ? JSON.parse(script.textContent) : null;
    }
    const response = await fetch(`api/query/${encodeURIComponent(id)}.json`);
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    return response.json();
  }

  function closeQuery() {
    if (!open) return;
    open.charts.forEach((chart) => chart.destroy());
    open.resize.disconnect();
    open = null;
    $('query-page').replaceChildren();
  }

  async function showQuery(id) {
    if (!open || open.id !== id) {
      closeQuery();
      const parts = {
        head: el('div'),
        figures: el('dl', { class: 'figures' }),
        facts: el('section', { class: 'card', 'aria-label': 'Identity' }),
        error: el('section', { class: 'card failure', 'aria-label': 'Error', hidden: true }),
        note: el('p', { role: 'status' }, 'Reading its history …'),
        charts: el('div', { class: 'charts' }),
        events: el('section', { class: 'card', 'aria-label': 'Starts, errors and ends', hidden: true }),
        latest: el('section', { class: 'card', 'aria-label': 'Latest record', hidden: true }),
      };
      open = { id, parts, charts: new Map(), detail: null, resize: new ResizeObserver(resizeCharts) };
      open.resize.observe(parts.charts);
      $('query-page').replaceChildren(...Object.values(parts));
    }
    const shown = open;
    showHead();
    try {
      const detail = await readHistory(id);
      if (open !== shown) return;
      shown.detail = detail;
      showDetail();
    } catch (error) {
      if (open === shown) setText(shown.parts.note, `Its history can’t be read now: ${error.message}.`);
    }
  }

  function fact(name, value, wide) {
    if (!is(value) || value === '') return null;
    return el('div', { class: wide ? 'wide' : null }, el('dt', {}, name), el('dd', {}, value));
  }

  function chips(texts, kind) {
    return texts.length ? el('span', { class: 'chips' }, ...texts.map((text) => chip(text, kind))) : null;
  }

  const at = (time) => (is(time) ? `${utc(Date.parse(time))} (${wholeSeconds(ageOf(time))} ago)` : null);

  function showHead() {
    const { parts, id } = open;
    const query = byId.get(id);
    if (!query) {
      parts.head.replaceChildren(backLink(), el('h1', {}, id), el('p', {}, 'The fleet has no query with this id.'));
      parts.figures.replaceChildren();
      parts.facts.hidden = true;
      return;
    }
    document.title = `${nameOf(query)}: ${stateOf(query)[0]}`;
    const signals = chips((query.signals || []).map(signalText), 'signal');
    parts.head.replaceChildren(
      backLink(),
      el('div', { class: 'headline' }, el('h1', {}, nameOf(query)), badge(query), signals),
      el('p', {}, query.reason || ''),
      is(query.stateSince) && el('p', { class: 'none' }, `since ${at(query.stateSince)}`),
    );
    const figures = [
      ['In', is(query.inputRowsPerSecond) && `${number(query.inputRowsPerSecond)}/s`],
      ['Processed', is(query.processedRowsPerSecond) && `${number(query.processedRowsPerSecond)}/s`],
      ['Headroom', is(query.headroom) && times(query.headroom)],
      ['Lag', is(query.lagRecords) && number(query.lagRecords)],
      ['Lag time', is(query.lagSeconds) && duration(query.lagSeconds)],
      ['Lag trend', is(query.lagTrendPerSecond) && `${query.lagTrendPerSecond > 0 ? '+' : ''}${number(query.lagTrendPerSecond).replace('-', '−')}/s`],
      ['Caught up in', is(query.catchUpSeconds) && duration(query.catchUpSeconds)],
      ['Batch, median', is(query.batchDurationMs) && millis(query.batchDurationMs)],
      ['Batch, p99', is(query.batchDurationP99Ms) && millis(query.batchDurationP99Ms)],
      ['Between batches', is(query.batchGapMs) && millis(query.batchGapMs)],
      ['Watermark gap', is(query.watermarkLagSeconds) && duration(query.watermarkLagSeconds)],
      ['State', is(query.stateRows) && `${number(query.stateRows)} rows`],
      ['State size', is(query.stateBytes) && bytes(query.stateBytes)],
      ['Behind in a row', query.fallingBehindStreak > 0 && count(query.fallingBehindStreak)],
      ['Runs, last hour', is(query.runsLastHour) && count(query.runsLastHour)],
    ];
    parts.figures.replaceChildren(...figures.filter(([, value]) => value).map(([name, value]) => fact(name, value)));
    parts.facts.hidden = false;
    parts.facts.replaceChildren(el('dl', { class: 'facts' }, ...[
      fact('Application', [query.applicationName, query.applicationId].filter(Boolean).join(' · ')),
      fact('Query id', query.queryId),
      fact('Run id', query.runId),
      fact('Run started', at(query.startedAt)),
      fact('Last event', is(query.lastEventAt) && `${query.lastEventType || ''} ${at(query.lastEventAt)}`.trim()),
      fact('Batch', is(query.batchId) && `${count(query.batchId)}${is(query.numInputRows) ? `, ${count(query.numInputRows)} rows` : ''}`),
      fact('Host', query.host),
      fact('Cluster', query.clusterId),
      fact('Job', [query.jobId, query.jobRunId && `run ${query.jobRunId}`].filter(Boolean).join(', ')),
      fact('Versions', [query.sparkVersion && `Spark ${query.sparkVersion}`, query.agentVersion && `agent ${query.agentVersion}`].filter(Boolean).join(', ')),
      fact('Agent', query.agentId),
      fact('Agent last heard', at(query.agentLastHeardAt)),
      fact('Watermark', query.watermark && utc(Date.parse(query.watermark))),
      fact('Tags', chips([...query.tagTexts, ...(query.jobTags || [])]), true),
    ].filter(Boolean)));
    parts.error.hidden = !(query.errorClass || query.errorMessage);
    parts.error.replaceChildren(el('h2', {}, query.errorClass || 'Error'), el('pre', {}, query.errorMessage || ''));
  }

  const backLink = () => el('p', {}, el('a', { href: fleetHash() }, '← Fleet'));

  function showDetail() {
    const { parts, detail } = open;
    if (!detail) {
      setText(parts.note, embedded ? 'This report has no history of the query.' : 'The table has no history of the query.');
      return;
    }
    const series = detail.series || {};
    const t = series.t || [];
    const events = detail.events || [];
    const specs = [
      { title: 'Input against processed', unit: 'rows per second', lines: [
        { label: 'input', values: series.in, format: (v) => `${number(v)}/s`, color: 'c2', dash: [6, 3] },
        { label: 'processed', values: series.out, format: (v) => `${number(v)}/s`, color: 'c1' },
      ] },
      { title: 'Lag', unit: 'records left, time right', lines: [
        { label: 'records', values: series.lagRecords, format: number, color: 'c1' },
        { label: 'time', values: series.lagSeconds, ...SECONDS, color: 'c2', dash: [6, 3], right: true },
      ] },
      { title: 'Batch time', unit: 'by phase', ...phases(series) },
      { title: 'Watermark gap', unit: 'behind the newest event time', lines: [
        { label: 'gap', values: series.watermarkLagSeconds, ...SECONDS, color: 'c4' },
      ] },
      { title: 'State', unit: 'rows left, bytes right', lines: [
        { label: 'rows', values: series.stateRows, format: number, color: 'c3' },
        { label: 'size', values: series.stateBytes, format: bytes, color: 'c4', dash: [6, 3], right: true },
      ] },
    ];
    const missing = [];
    for (const spec of specs) {
      spec.lines = spec.lines.filter((line) => (line.values || []).some(is));
      if (spec.lines.length) showChart(spec, t, events);
      else {
        missing.push(spec.title.toLowerCase());
        dropChart(spec.title);
      }
    }
    const notes = [];
    if (!t.length) notes.push('No batch of it is in the table.');
    else if (missing.length) notes.push(`Nothing is reported of: ${missing.join(', ')}.`);
    if (detail.every) notes.push(`This report has one in ${detail.every} points of the history.`);
    if (events.length && t.length) notes.push('Vertical lines: a start dashed, a failure solid, an end dotted. Drag to zoom, double-click to go back.');
    setText(parts.note, notes.join(' '));
    showEvents(parts.events, events);
    parts.latest.hidden = !detail.latest;
    if (detail.latest) {
      const text = JSON.stringify(detail.latest, null, 2);
      if (!parts.latest.firstChild) {
        parts.latest.append(el('details', { open: true }, el('summary', {}, 'Latest record as JSON'), el('pre', { tabindex: '0', 'aria-label': 'Latest record as JSON' })));
      }
      setText(parts.latest.querySelector('pre'), text);
    }
  }

  /** Phases on top of each other, and what of the batch none of them explains. */
  function phases(series) {
    const length = (series.t || []).length;
    const names = Object.keys(series.phases || {}).sort();
    const total = (values) => values.reduce((sum, value) => sum + (value || 0), 0);
    const lines = names
      .map((name, i) => ({ label: name, values: series.phases[name], ...MILLIS, color: `c${(i % 6) + 1}` }))
      .sort((a, b) => total(b.values) - total(a.values));
    if (names.length && (series.batchMs || []).some(is)) {
      const rest = Array.from({ length }, (_, i) =>
        is(series.batchMs[i]) ? Math.max(0, series.batchMs[i] - total(names.map((name) => series.phases[name][i]))) : null);
      lines.push({ label: 'other', values: rest, ...MILLIS, color: 'c7' });
    } else if (!names.length) {
      lines.push({ label: 'batch', values: series.batchMs, ...MILLIS, color: 'c1' });
    }
    return { lines, stacked: true };
  }

  function stack(lines) {
    const sums = [];
    let below = null;
    for (const line of lines) {
      const under = below;
      below = line.values.map((value, i) => {
        const base = under ? under[i] : null;
        return is(value) ? (base || 0) + value : base;
      });
      sums.push(below);
    }
    return sums;
  }

  function dropChart(title) {
    const chart = open.charts.get(title);
    if (chart) {
      chart.destroy();
      chart.figure.remove();
      open.charts.delete(title);
    }
  }

  function showChart(spec, t, events) {
    const signature = spec.lines.map((line) => line.label).join('\n');
    let chart = open.charts.get(spec.title);
    if (chart && chart.signature !== signature) {
      dropChart(spec.title);
      chart = null;
    }
    if (!chart) {
      chart = makeChart(spec, signature);
      open.charts.set(spec.title, chart);
      open.parts.charts.append(chart.figure);
    }
    chart.show(spec, t, events);
  }

  function makeChart(spec, signature) {
    const plot = el('div', { class: `plot ${spec.stacked ? 'stacked' : ''}`, role: 'img' });
    const table = el('div', { class: 'data', tabindex: '0', role: 'region', 'aria-label': `${spec.title} as a table` });
    const details = el('details', { ontoggle: () => tabulate() }, el('summary', {}, 'As a table'), table);
    const figure = el('figure', { class: 'card' }, el('figcaption', {}, `${spec.title} `, el('small', {}, spec.unit)), plot, details);
    const chart = { figure, plot, signature, u: null, spec, t: [], events: [] };
    // The stack is painted from its highest sum down, each over the one before.
    const order = spec.stacked ? spec.lines.map((_, i) => spec.lines.length - 1 - i) : spec.lines.map((_, i) => i);

    const data = () => {
      const columns = spec.stacked ? stack(chart.spec.lines) : chart.spec.lines.map((line) => line.values);
      return [chart.t, ...order.map((i) => columns[i])];
    };

    const tabulate = () => {
      if (!details.open) {
        table.replaceChildren();
        return;
      }
      const head = el('tr', {}, ...['Time', ...chart.spec.lines.map((line) => line.label)].map((text, i) =>
        el('th', { scope: 'col', class: i ? 'num' : null }, el('span', { class: 'plain' }, text))));
      const rows = chart.t.map((time, i) => el('tr', {},
        el('th', { scope: 'row' }, utc(time * 1000)),
        ...chart.spec.lines.map((line) => el('td', { class: 'num' }, line.format(line.values[i])))));
      table.replaceChildren(el('table', {}, el('thead', {}, head), el('tbody', {}, ...rows.reverse())));
    };

    const build = () => {
      if (chart.u) chart.u.destroy();
      chart.u = new uPlot(plotOptions(chart, order), data(), plot);
    };

    chart.show = (next, t, events) => {
      Object.assign(chart, { spec: next, t, events });
      const summary = next.lines.map((line) => {
        const known = line.values.filter(is);
        return `${line.label} last ${line.format(known[known.length - 1])}, lowest ${line.format(Math.min(...known))}, highest ${line.format(Math.max(...known))}`;
      });
      plot.setAttribute('aria-label', `${next.title}: ${summary.join('; ')}`);
      if (!chart.u) {
        build();
      } else {
        const { min, max } = chart.u.scales.x;
        const zoomed = min !== chart.u.data[0][0] || max !== chart.u.data[0][chart.u.data[0].length - 1];
        chart.u.setData(data(), !zoomed);
        if (zoomed) chart.u.setScale('x', { min, max });
      }
      tabulate();
    };
    chart.restyle = build;
    chart.resize = () => chart.u.setSize({ width: plot.clientWidth, height: 200 });
    chart.destroy = () => chart.u.destroy();
    return chart;
  }

  function plotOptions(chart, order) {
    const faint = color('faint');
    const grid = { stroke: color('line'), width: 1 };
    const font = '12px system-ui, sans-serif';
    const lines = order.map((i) => chart.spec.lines[i]);
    const axis = (scale, right) => {
      const line = lines.find((candidate) => Boolean(candidate.right) === right);
      const tick = line.tick || line.format;
      return {
        ...(line.steps && { incrs: line.steps }),
        scale, side: right ? 1 : 3, stroke: faint, font, size: 64, ticks: grid, gap: 4,
        grid: right ? { show: false } : grid,
        values: (u, splits) => splits.map((value) => (is(value) ? tick(value) : '')),
      };
    };
    const scales = { x: { time: true } };
    const axes = [{ stroke: faint, font, grid, ticks: grid, values: clockTimes }];
    for (const right of [false, true]) {
      if (!lines.some((line) => Boolean(line.right) === right)) continue;
      const scale = right ? 'right' : 'left';
      // From zero: a rate or a lag that looks steep should be so.
      scales[scale] = { range: (u, min, max) => [Math.min(0, min ?? 0), max > 0 ? max * 1.08 : 1] };
      axes.push(axis(scale, right));
    }
    return {
      width: chart.plot.clientWidth || 480,
      height: 200,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      cursor: { sync: { key: 'query' }, drag: { x: true, y: false } },
      scales,
      axes,
      series: [
        { label: 'UTC', value: (u, seconds, s, i) => (chart.t.length ? utc((i === null ? chart.t[chart.t.length - 1] : seconds) * 1000).slice(5) : '–') },
        ...order.map((n) => {
          const line = chart.spec.lines[n];
          const stroke = color(line.color);
          return {
            label: line.label,
            scale: line.right ? 'right' : 'left',
            stroke,
            width: chart.spec.stacked ? 1 : 1.75,
            dash: line.dash,
            fill: chart.spec.stacked ? stroke : undefined,
            points: { show: false },
            value: (u, v, s, i) => {
              const values = chart.spec.lines[n].values;
              return line.format(i === null ? values[values.length - 1] : values[i]);
            },
          };
        }),
      ],
      hooks: { draw: [(u) => drawEvents(u, chart.events)] },
    };
  }

  function clockTimes(u, splits, axis, space, step) {
    return splits.map((seconds, i) => {
      const text = utc(seconds * 1000);
      const newDay = i === 0 || !utc(splits[i - 1] * 1000).startsWith(text.slice(0, 10));
      const time = text.slice(11, step < 60 ? 19 : 16);
      return newDay ? `${time}\n${text.slice(5, 10)}` : time;
    });
  }

  function drawEvents(u, events) {
    const { ctx, bbox } = u;
    ctx.save();
    for (const event of events) {
      const x = u.valToPos(event.t, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      const look = EVENTS[event.kind] || EVENTS.STOPPED;
      ctx.strokeStyle = color(look.tone);
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.setLineDash(look.dash.map((length) => length * devicePixelRatio));
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  function resizeCharts() {
    if (open) open.charts.forEach((chart) => chart.resize());
  }

  function showEvents(host, events) {
    host.hidden = events.length === 0;
    const items = [...events].sort((a, b) => b.t - a.t).map((event) => {
      const look = EVENTS[event.kind] || EVENTS.STOPPED;
      return el('li', {},
        el('time', { datetime: new Date(event.t * 1000).toISOString() }, utc(event.t * 1000)),
        el('span', { class: `state ${look.tone}` }, String(event.kind).toLowerCase()),
        el('span', {}, event.text || ''));
    });
    host.replaceChildren(el('h2', {}, 'Starts, errors and ends'), el('ol', { class: 'events' }, ...items));
  }

  // ---- telemetry

  const lost = (agent) => (agent.missing || 0) + (agent.droppedTotal || 0);

  const LEDGER = [
    { key: 'lost', label: 'Records', number: false, by: lost },
    { key: 'application', label: 'Application', by: (a) => applicationOf(a) || undefined },
    { key: 'agent', label: 'Agent', by: (a) => a.agentId },
    { key: 'heard', label: 'Last heard', number: true, by: (a) => ageOf(a.lastHeardAt) },
    { key: 'produced', label: 'Produced', number: true, by: (a) => a.produced, title: 'Records the agent has made' },
    { key: 'inTable', label: 'In table', number: true, by: (a) => a.inTable },
    { key: 'dropped', label: 'Dropped', number: true, by: (a) => a.droppedTotal, title: 'Given up by the agent and counted' },
    { key: 'reasons', label: 'Dropped why' },
    { key: 'missing', label: 'Missing', number: true, by: (a) => a.missing, title: 'Neither in the table nor dropped' },
    { key: 'truncated', label: 'Truncated', number: true, by: (a) => a.truncatedRecords, title: 'Cut to the greatest size' },
    { key: 'delay', label: 'Ingest delay', number: true, by: (a) => a.ingestDelaySeconds, title: 'From the event to the table, median of the last hour' },
    { key: 'delayMax', label: 'Highest delay', number: true, by: (a) => a.ingestDelayMaxSeconds, title: 'From the event to the table, highest of the last hour' },
  ];
  let ledgerSort = { key: '', direction: '' };

  function showTelemetry() {
    if (!fleet) return;
    const agents = fleet.telemetry || [];
    const sum = (value) => agents.reduce((total, agent) => total + (value(agent) || 0), 0);
    const totals = [
      ['Agents', count(agents.length)],
      ['Produced', count(sum((a) => a.produced))],
      ['In table', count(sum((a) => a.inTable))],
      ['Dropped', count(sum((a) => a.droppedTotal))],
      ['Missing', count(sum((a) => a.missing))],
      ['Truncated', count(sum((a) => a.truncatedRecords))],
      ['Quarantined, last day', count(fleet.quarantined)],
    ];
    $('totals').replaceChildren(...totals.map(([name, value]) => fact(name, value)));
    const numeric = (text, strong) => el('td', { class: `num ${text === '–' ? 'none' : ''} ${strong ? 'strong' : ''}` }, text);
    const ordered = ledgerSort.key ? sorted(agents, LEDGER, ledgerSort) : [...agents].sort((a, b) => lost(b) - lost(a));
    markSorted($('ledger'), ledgerSort);
    $('ledger').tBodies[0].replaceChildren(...ordered.map((agent) => {
      const loss = lost(agent);
      const verdict = loss
        ? el('span', { class: 'state warn' }, shape(WARNING), `${count(loss)} lost`)
        : el('span', { class: 'state ok' }, shape(STATES.OK[2]), 'complete');
      return el('tr', {},
        el('td', {}, verdict),
        el('td', {}, applicationOf(agent)),
        el('th', { scope: 'row' }, agent.agentId, el('br'), el('span', { class: 'none' }, [agent.host, agent.agentVersion, agent.closed && 'closed'].filter(Boolean).join(' · '))),
        numeric(wholeSecondsOr(ageOf(agent.lastHeardAt))),
        numeric(count(agent.produced)),
        numeric(count(agent.inTable)),
        numeric(count(agent.droppedTotal), agent.droppedTotal > 0),
        el('td', {}, chips(Object.entries(agent.dropped || {}).filter(([, n]) => n > 0).map(([reason, n]) => `${signalText(reason)} ${count(n)}`), 'signal') || ''),
        numeric(count(agent.missing), agent.missing > 0),
        numeric(count(agent.truncatedRecords), agent.truncatedRecords > 0),
        numeric(duration(agent.ingestDelaySeconds)),
        numeric(duration(agent.ingestDelayMaxSeconds)));
    }));
  }

  // ---- how old it all is

  function showFreshness() {
    if (!fleet) return;
    const box = $('freshness');
    const ingested = fleet.newestIngestedAt && Date.parse(fleet.newestIngestedAt);
    const age = is(ingested) ? Math.max(0, (now() - ingested) / 1000) : undefined;
    const tone = !is(age) || age > TOO_OLD_SECONDS ? 'bad' : age > OLD_SECONDS ? 'warn' : 'ok';
    box.className = `freshness ${tone}`;
    box.querySelector('path').setAttribute('d', tone === 'ok' ? STATES.OK[2] : WARNING);
    setText($('age'), is(age) ? `Data is ${wholeSeconds(age)} old` : 'There is no data');
    const parts = [];
    if (is(ingested)) parts.push(`newest row appended ${utc(ingested)}`);
    if (fleet.newestEventAt) parts.push(`newest event ${utc(Date.parse(fleet.newestEventAt))}`);
    if (embedded) {
      parts.push(`report made ${utc(Date.parse(fleet.readAt))}`);
      if (is(ingested)) parts.push(`the data was ${wholeSeconds(ageOf(fleet.newestIngestedAt))} old then, and ages below are of then`);
    } else {
      parts.push(`table read ${wholeSeconds((now() - Date.parse(fleet.readAt)) / 1000)} ago`);
      parts.push(`page refreshed ${wholeSeconds((Date.now() - refreshedAt) / 1000)} ago`);
    }
    setText($('freshness-detail'), parts.join(' · '));
  }

  function trouble(text) {
    setText($('trouble'), text);
    $('trouble').hidden = !text;
  }

  // ---- pages

  function show() {
    const hash = location.hash.slice(1) || '/';
    const mark = hash.indexOf('?');
    const path = mark < 0 ? hash : hash.slice(0, mark);
    const before = page;
    const id = path.startsWith('/query/') ? decoded(path.slice('/query/'.length)) : null;
    page = id !== null ? 'query' : path === '/telemetry' ? 'telemetry' : 'fleet';
    if (page === 'fleet') readFilter(new URLSearchParams(mark < 0 ? '' : hash.slice(mark + 1)));
    for (const name of ['fleet', 'query', 'telemetry']) $(`${name}-page`).hidden = name !== page;
    for (const link of document.querySelectorAll('nav a')) {
      if (link.dataset.page === page) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    }
    if (page !== 'query') {
      const left = open && open.id;
      closeQuery();
      showPage(before === 'query');
      if (page === 'fleet' && before === 'query') {
        // Back to the row that was opened.
        window.scrollTo(0, fleetScroll);
        const row = rowsById.get(left);
        if (row && row.isConnected) row.querySelector('a').focus({ preventScroll: true });
      } else if (before) {
        window.scrollTo(0, 0);
      }
    } else {
      window.scrollTo(0, 0);
      if (fleet) showQuery(id);
      $('main').focus({ preventScroll: true });
    }
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  let fleetScroll = 0;

  function showPage(keep) {
    if (!fleet) return;
    const urgent = fleet.queries.filter((query) => stateOf(query)[1] === 'bad').length;
    if (page !== 'query') document.title = urgent ? `(${urgent}) Streampulse` : 'Streampulse';
    if (page === 'fleet') showFleet(keep);
    else if (page === 'telemetry') showTelemetry();
    else if (open) showQuery(open.id);
    else show();
  }

  let announced = '';

  function announce() {
    const counts = {};
    for (const query of fleet.queries) counts[query.state] = (counts[query.state] || 0) + 1;
    const text = Object.keys(STATES).filter((state) => counts[state]).map((state) => `${counts[state]} ${STATES[state][0]}`).join(', ');
    if (announced && text !== announced) setText($('live'), `Now ${text}`);
    announced = text;
  }

  function take(data) {
    index(data);
    $('main').hidden = false;
    setText($('table'), fleet.table);
    setText($('outage'), fleet.outage ? `Telemetry outage: ${fleet.outage}` : '');
    $('outage').hidden = !fleet.outage;
    showFreshness();
    showPage(true);
    announce();
  }

  async function refresh() {
    nextRefreshAt = Date.now() + REFRESH_SECONDS * 1000;
    try {
      const response = await fetch('api/fleet.json', { signal: AbortSignal.timeout(REFRESH_SECONDS * 900) });
      const date = Date.parse(response.headers.get('Date'));
      // The header has whole seconds.
      skew = Math.abs(date - Date.now()) > 2000 ? date - Date.now() : 0;
      if (response.status === 503 && !fleet) {
        setText($('age'), 'The table is being read for the first time …');
        nextRefreshAt = Date.now() + 2000;
        return;
      }
      if (!response.ok) throw new Error(`the server answered ${response.status}`);
      const data = await response.json();
      refreshedAt = Date.now();
      trouble('');
      take(data);
    } catch (error) {
      trouble(`This page could not be refreshed: ${error.message}. It tries again every ${REFRESH_SECONDS} s${fleet ? '; what is below was true at the time stated above' : ''}.`);
    }
  }

  function tick() {
    showFreshness();
    if (document.hidden) return;
    if (Date.now() >= nextRefreshAt) refresh();
    else if (page === 'fleet' && fleet && Math.floor(Date.now() / 1000) % 5 === 0) growOlder();
  }

  // ---- light and dark

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const themes = ['auto', 'light', 'dark'];
  let theme = 'auto';

  function remembered(value) {
    // A file may have no storage.
    try {
      if (value) localStorage.setItem('streampulse-theme', value);
      return localStorage.getItem('streampulse-theme');
    } catch {
      return null;
    }
  }

  function applyTheme() {
    document.documentElement.dataset.theme = theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme;
    setText($('theme'), `Theme: ${theme}`);
    if (open) open.charts.forEach((chart) => chart.restyle());
  }

  // ---- start

  theme = themes.includes(remembered()) ? remembered() : 'auto';
  applyTheme();
  dark.addEventListener('change', applyTheme);
  $('theme').addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remembered(theme);
    applyTheme();
  });
  $('skip').addEventListener('click', (event) => {
    event.preventDefault();
    $('main').focus();
  });
  $('filters').addEventListener('submit', (event) => event.preventDefault());
  $('search').addEventListener('input', () => {
    filter.text = $('search').value.trim();
    filterChanged();
  });
  $('application').addEventListener('change', () => {
    filter.application = $('application').value;
    filterChanged();
  });
  $('tag').addEventListener('change', () => {
    if ($('tag').value) filter.tags.push($('tag').value);
    filterChanged();
  });
  $('more').addEventListener('click', () => showMore(shown.length));
  $('clear').addEventListener('click', () => {
    filter = { ...NO_FILTER(), sort: filter.sort };
    $('search').value = '';
    filterChanged();
    $('search').focus();
  });
  $('queries').tBodies[0].addEventListener('click', (event) => {
    const row = event.target.closest('tr');
    // Selecting text is no click; a link follows itself.
    if (row && !event.target.closest('a') && getSelection().isCollapsed) location.hash = queryHash(row.dataset.id);
  });
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target.closest && event.target.closest('input, select, textarea');
    if (event.key === '/' && !typing) {
      event.preventDefault();
      if (page !== 'fleet') location.hash = fleetHash();
      setTimeout(() => $('search').focus());
    } else if (event.key === 'Escape') {
      if (typing && $('search').value) {
        $('search').value = '';
        filter.text = '';
        filterChanged();
      } else if (typing) {
        event.target.blur();
      } else if (page !== 'fleet') {
        location.hash = fleetHash();
      }
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !typing && page === 'fleet') {
      const row = document.activeElement.closest('tbody tr');
      const down = event.key === 'ArrowDown';
      const next = row ? (down ? row.nextElementSibling : row.previousElementSibling) : down && $('queries').tBodies[0].rows[0];
      if (next) {
        event.preventDefault();
        next.querySelector('a').focus();
      }
    }
  });
  window.addEventListener('scroll', () => {
    if (page === 'fleet') fleetScroll = window.scrollY;
  }, { passive: true });
  window.addEventListener('hashchange', show);
  header($('queries'), COLUMNS, () => filter.sort, (key, direction) => {
    filter.sort = { key, direction };
    filterChanged();
  });
  header($('ledger'), LEDGER, () => ledgerSort, (key, direction) => {
    ledgerSort = { key, direction };
    showTelemetry();
  });
  show();
  if (embedded) {
    take(JSON.parse(embedded.textContent));
    setInterval(showFreshness, 1000);
  } else {
    refresh();
    setInterval(tick, 1000);
  }
})();
