const turns = list('.turn');
const rest = list('#overview, #files, .others, #figures, .chapter, .idle, #troubles');
const texts = new Map();
const text = one => {
  if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
  return texts.get(one);
};
const MOST_OPENED = 50;
let unfolded = [];
const LEVELS = { error: ['failed', 'blocked', 'error'] };
LEVELS.warning = [...LEVELS.error, 'warning'];
const isKind = (one, kind) => !kind || one.dataset.kind === kind ||
  (kind === 'edits' && 'edits' in one.dataset) || 'tool:' + one.dataset.tool === kind;
let filtered = false;
// What the filter was applied for last.
let sought = '';
function tell(found) {
  by('found').textContent = filtered ? found + ' of ' + all.length + ' entries' : '';
}
function filter() {
  sought = by('search').value;
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = by('kind').value, level = by('level').value;
  filtered = words.length > 0 || kind !== '' || level !== '';
  for (const details of unfolded) details.open = false;
  unfolded = [];
  let found = 0, first = null;
  for (const one of all) {
    const fits = isKind(one, kind) && (!level || LEVELS[level].includes(one.dataset.status)) &&
      words.every(word => text(one).includes(word));
    one.hidden = !fits;
    if (!fits) continue;
    found += 1;
    first = first || one;
    if (words.length > 0 && found <= MOST_OPENED) uncover(one, words);
  }
  for (const agent of list('section.agent')) {
    agent.hidden = filtered && !agent.querySelector('article:not([hidden])');
    if (filtered && !agent.hidden && found <= 1000) keep(unfold(agent));
  }
  for (const turn of turns) turn.hidden = filtered && !turn.querySelector('article:not([hidden])');
  for (const one of rest) one.hidden = filtered;
  // The list also has failures that are not separate items.
  const troubles = by('troubles');
  if (troubles && level && !kind && words.length === 0) troubles.hidden = false;
  tell(found);
  by('nothing').hidden = !filtered || found > 0 || (troubles && !troubles.hidden);
  by('clear').hidden = by('steps').hidden = !filtered;
  highlight(words);
  if (filtered) scrollTo(0, 0);
}
const keep = opened => { unfolded.push(...opened); };
// Opens the parts of an item that hide a hit.
function uncover(one, words) {
  for (const details of one.querySelectorAll('details:not([open])')) {
    const summary = details.querySelector('summary').textContent.toLowerCase();
    const inside = details.textContent.toLowerCase();
    if (words.some(word => inside.includes(word) && !summary.includes(word))) {
      details.open = true;
      unfolded.push(details);
    }
  }
  const clip = one.querySelector('.clip');
  if (clip && clip.classList.contains('all') === false) clip.nextElementSibling.click();
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
for (const button of list('.reset')) button.addEventListener('click', clear);
by('filters').addEventListener('submit', event => event.preventDefault());
