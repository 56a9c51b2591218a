'use strict';
const by = id => document.getElementById(id);
const all = Array.from(document.querySelectorAll('article'));
const turns = Array.from(document.querySelectorAll('.turn'));
const rest = Array.from(document.querySelectorAll('#overview, #timeline, #tokens, .chapter, #troubles'));
const texts = new Map();
const text = one => {
  if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
  return texts.get(one);
};
const title = turn => text(turn.querySelector('h3'));
const MOST_OPENED = 50;
let unfolded = [];
const GRAVE = { error: ['failed', 'blocked', 'error'] };
GRAVE.warning = [...GRAVE.error, 'warning'];
function filter() {
  const words = by('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = by('kind').value, level = by('level').value;
  const filtered = words.length > 0 || kind !== '' || level !== '';
  for (const details of unfolded) details.open = false;
  unfolded = [];
  let found = 0;
  for (const turn of turns) {
    const heading = title(turn);
    const named = words.length > 0 && !kind && !level && words.every(word => heading.includes(word));
    let any = named;
    for (const one of turn.querySelectorAll('article')) {
      const fits = named || ((!kind || one.dataset.kind === kind ||
          'tool:' + one.dataset.tool === kind) &&
        (!level || GRAVE[level].includes(one.dataset.status)) &&
        words.every(word => text(one).includes(word) || heading.includes(word)));
      one.hidden = !fits;
      any = any || fits;
      if (!fits) continue;
      found += 1;
      const details = one.querySelector('details:not([open])');
      if (details && words.length > 0 && unfolded.length < MOST_OPENED &&
          !words.every(word => text(details.querySelector('summary')).includes(word))) {
        details.open = true;
        unfolded.push(details);
      }
    }
    for (const agent of turn.querySelectorAll('.agent')) {
      agent.hidden = filtered && !agent.querySelector('article:not([hidden])');
    }
    turn.hidden = filtered && !any;
  }
  for (const one of rest) one.hidden = filtered;
  // The list also has failures that are not separate events.
  const troubles = by('troubles');
  if (troubles && level && !kind && words.length === 0) troubles.hidden = false;
  by('found').textContent = filtered ? found + ' of ' + all.length : '';
  by('nothing').hidden = !filtered || (troubles && !troubles.hidden) || turns.some(turn => !turn.hidden);
  by('clear').hidden = !filtered;
  highlight(words);
  if (filtered) scrollTo(0, 0);
}
// Highlights the words in the visible items. Only in the first ones, so that typing stays fast.
const MOST_MARKED = 300;
function highlight(words) {
  if (!CSS.highlights) return;
  const ranges = [];
  let left = words.length > 0 ? MOST_MARKED : 0;
  for (const one of all) {
    if (left === 0) break;
    if (one.hidden) continue;
    left -= 1;
    const walker = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const lower = node.data.toLowerCase();
      if (lower.length !== node.data.length) continue;
      for (const word of words) {
        for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + word.length);
          ranges.push(range);
        }
      }
    }
  }
  CSS.highlights.set('found', new Highlight(...ranges));
}
function clear() {
  by('search').value = '';
  by('kind').value = '';
  by('level').value = '';
  filter();
}
let waiting;
by('search').addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, 120);
});
by('kind').addEventListener('change', filter);
by('level').addEventListener('change', filter);
by('clear').addEventListener('click', clear);
by('filters').addEventListener('submit', event => event.preventDefault());
let opened = false;
by('open').addEventListener('click', () => {
  opened = !opened;
  for (const one of document.querySelectorAll('article details')) one.open = opened;
  by('open').textContent = opened ? 'Close all' : 'Open all';
});
by('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.classList.contains('dark') ||
    (!root.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);
  root.classList.toggle('dark', !dark);
  root.classList.toggle('light', dark);
});
const bars = by('bars');
if (bars) {
  const whole = bars.viewBox.baseVal.width, height = bars.viewBox.baseVal.height;
  let from = 0, width = whole;
  const show = () => {
    from = Math.max(0, Math.min(whole - width, from));
    bars.setAttribute('viewBox', from + ' 0 ' + width + ' ' + height);
  };
  const zoom = (factor, at) => {
    const next = Math.max(1, Math.min(whole, factor ? width / factor : whole));
    from += (width - next) * at;
    width = next;
    show();
  };
  for (const button of document.querySelectorAll('[data-zoom]')) {
    button.addEventListener('click', () => zoom(Number(button.dataset.zoom), 0.5));
  }
  bars.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = bars.getBoundingClientRect();
    zoom(event.deltaY < 0 ? 1.3 : 1 / 1.3, (event.clientX - box.left) / box.width);
  }, { passive: false });
  let held = null, moved = 0;
  bars.addEventListener('pointerdown', event => { held = event.clientX; moved = 0; });
  for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => { held = null; });
  bars.addEventListener('pointermove', event => {
    if (held === null) return;
    moved += Math.abs(event.clientX - held);
    from -= (event.clientX - held) / bars.getBoundingClientRect().width * width;
    held = event.clientX;
    show();
  });
  bars.addEventListener('dragstart', event => event.preventDefault());
  bars.addEventListener('click', event => { if (moved > 4) event.preventDefault(); }, true);
}
function named(hash) {
  const found = by(hash.slice(1));
  if (found || !/^#e\d+$/.test(hash)) return found;
  // The event is not on the page: use the last event before it that is.
  const wanted = Number(hash.slice(2));
  let best = null;
  for (const one of all) if (Number(one.id.slice(1)) <= wanted) best = one;
  return best;
}
function reveal() {
  const found = location.hash.length > 1 ? named(location.hash) : null;
  if (!found) return;
  const target = found.closest('article') || found;
  if (target.closest('[hidden]')) clear();
  if (target.matches('article')) {
    const details = target.querySelector('details');
    if (details) details.open = true;
    mark(target);
  }
  // The content above may get its final height only now.
  let times = 8;
  const settle = () => {
    target.scrollIntoView();
    times -= 1;
    if (times > 0) requestAnimationFrame(settle);
  };
  settle();
}
let here = null;
function mark(one) {
  if (here) here.classList.remove('here');
  here = one;
  here.classList.add('here');
}
addEventListener('hashchange', reveal);
reveal();
function step(by_one) {
  const shown = all.filter(one => !one.hidden);
  const head = document.querySelector('header').offsetHeight;
  const inView = one => one.getBoundingClientRect().bottom > head;
  let now = here && !here.hidden ? shown.indexOf(here) : -1;
  if (now < 0 || !inView(here) || here.getBoundingClientRect().top > innerHeight) {
    now = shown.findIndex(inView) - (by_one > 0 ? 1 : 0);
  }
  const next = shown[Math.max(0, now + by_one)];
  if (!next) return;
  mark(next);
  history.replaceState(null, '', '#' + next.id);
  next.scrollIntoView({ block: 'center' });
  const focus = next.querySelector('summary, a');
  if (focus) focus.focus({ preventScroll: true });
}
addEventListener('keydown', event => {
  if (event.key === 'Escape') { clear(); event.target.blur(); return; }
  if (event.target.matches('input, select') || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === '/') { event.preventDefault(); by('search').focus(); return; }
  if (event.key === 'j') step(1);
  if (event.key === 'k') step(-1);
});
document.documentElement.dataset.ready = String(all.length);
