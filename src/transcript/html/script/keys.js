// The next item in a direction that fits. `back`: the one before.
function step(fits, back) {
  const shown = all.filter(one => !one.hidden && fits(one) && !one.closest('[hidden]'));
  if (shown.length === 0) return say('There is none.');
  const head = document.querySelector('header').getBoundingClientRect().bottom;
  const place = one => one.getBoundingClientRect();
  const inView = here && !here.hidden && place(here).bottom > head && place(here).top < innerHeight;
  const after = one => inView
    ? here.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING
    : place(one).top > head;
  const later = shown.findIndex(one => one !== here && after(one));
  let at = later < 0 ? shown.length : later;
  if (back) at -= shown[at - 1] === here && inView ? 2 : 1;
  if (at < 0 || at >= shown.length) return say(back ? 'This is the first one.' : 'This is the last one.');
  goTo(shown[at]);
  if (filtered && fits === anything) {
    clearTimeout(silence);
    by('found').textContent = 'hit ' + (at + 1) + ' of ' + shown.length;
  }
}
let silence;
function say(what) {
  by('found').textContent = what;
  clearTimeout(silence);
  silence = setTimeout(() => {
    tell(all.filter(one => !one.hidden).length);
  }, 1500);
}
const anything = () => true;
const hit = back => filtered ? step(anything, back) : by('search').focus();
function openAll() {
  const details = list('article details, section.agent > details');
  const open = !opened;
  for (const one of details) one.open = open;
  opened = open;
  by('open').textContent = open ? 'Close all' : 'Open all';
}
let opened = false;
function toggle() {
  const details = here && here.querySelector('details');
  if (details) details.open = !details.open;
}
const help = by('help');
const KEYS = {
  '/': () => by('search').focus(),
  '?': () => help.open ? help.close() : help.showModal(),
  n: () => hit(false),
  N: () => hit(true),
  p: () => step(one => one.dataset.kind === 'user', false),
  P: () => step(one => one.dataset.kind === 'user', true),
  e: () => step(one => LEVELS.error.includes(one.dataset.status), false),
  E: () => step(one => LEVELS.error.includes(one.dataset.status), true),
  f: () => step(one => 'edits' in one.dataset, false),
  F: () => step(one => 'edits' in one.dataset, true),
  j: () => step(anything, false),
  k: () => step(anything, true),
  o: toggle,
  a: openAll,
  c: () => { if (here && here.querySelector('.copy')) here.querySelector('.copy').click(); },
  t: () => scrollTo(0, 0),
};
addEventListener('keydown', event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'Escape' && !help.open) { clear(); event.target.blur(); return; }
  if (event.target === by('search') && event.key === 'Enter') {
    event.preventDefault();
    clearTimeout(waiting);
    if (by('search').value !== sought) {
      filter();
      here = null;
    }
    hit(event.shiftKey);
    // The next Enter goes on.
    by('search').focus({ preventScroll: true });
    return;
  }
  if (event.target.matches('input, select')) return;
  const action = KEYS[event.key];
  if (!action || (help.open && event.key !== '?')) return;
  event.preventDefault();
  action();
});
by('keys').addEventListener('click', KEYS['?']);
by('open').addEventListener('click', openAll);
by('next').addEventListener('click', () => hit(false));
by('previous').addEventListener('click', () => hit(true));
by('theme').addEventListener('click', () => {
  const root = document.documentElement;
  const dark = root.classList.contains('dark') ||
    (!root.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);
  root.classList.toggle('dark', !dark);
  root.classList.toggle('light', dark);
});
addEventListener('click', event => {
  const article = event.target.closest && event.target.closest('article');
  if (article) mark(article);
});
