'use strict';
const all = Array.from(document.querySelectorAll('article'));
const by = id => document.getElementById(id);
const texts = new Map();
const text = one => {
  if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
  return texts.get(one);
};
function filter() {
  const words = by('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = by('kind').value, level = by('level').value;
  let found = 0;
  for (const one of all) {
    const fits = (!kind || one.dataset.kind === kind) &&
      (!level || one.dataset.status === 'failed' || one.dataset.status === 'blocked') &&
      words.every(word => text(one).includes(word));
    one.hidden = !fits;
    if (fits) found += 1;
  }
  const filtered = words.length > 0 || kind || level;
  for (const turn of document.querySelectorAll('.turn')) {
    turn.hidden = Boolean(filtered) && !turn.querySelector('article:not([hidden])');
  }
  by('found').textContent = filtered ? found + ' of ' + all.length : '';
  by('nothing').hidden = !filtered || found > 0;
}
let waiting;
by('search').addEventListener('input', () => {
  clearTimeout(waiting);
  waiting = setTimeout(filter, 120);
});
by('kind').addEventListener('change', filter);
by('level').addEventListener('change', filter);
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
  let held = null;
  bars.addEventListener('pointerdown', event => { held = event.clientX; });
  addEventListener('pointerup', () => { held = null; });
  bars.addEventListener('pointermove', event => {
    if (held === null) return;
    from -= (event.clientX - held) / bars.getBoundingClientRect().width * width;
    held = event.clientX;
    show();
  });
}
function reveal() {
  const target = location.hash && by(location.hash.slice(1));
  if (!target) return;
  const details = target.querySelector('details');
  if (details) details.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', reveal);
reveal();
addEventListener('keydown', event => {
  if (event.target.matches('input, select')) {
    if (event.key === 'Escape') { by('search').value = ''; filter(); event.target.blur(); }
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === '/') { event.preventDefault(); by('search').focus(); return; }
  if (event.key !== 'j' && event.key !== 'k') return;
  const shown = all.filter(one => !one.hidden);
  const now = shown.findIndex(one => '#' + one.id === location.hash);
  const next = shown[event.key === 'j' ? now + 1 : Math.max(0, now - 1)];
  if (next) location.hash = next.id;
});
