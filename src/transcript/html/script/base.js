'use strict';
const by = id => document.getElementById(id);
const list = query => Array.from(document.querySelectorAll(query));
const all = list('article');
document.documentElement.classList.add('js');
let here = null;
function mark(one) {
  if (here) here.classList.remove('here');
  here = one;
  here.classList.add('here');
}
// Opens everything around an item, and the item itself.
function unfold(one) {
  const opened = [];
  const open = details => {
    if (!details.open) { details.open = true; opened.push(details); }
  };
  for (let up = one.parentElement; up; up = up.parentElement) if (up.matches('details')) open(up);
  const own = one.matches('article, .agent') && one.querySelector(':scope > details');
  if (own) open(own);
  return opened;
}
// Scrolls to an item. The content above may get its final height only then.
function show(target, block) {
  let times = 8;
  const settle = () => {
    target.scrollIntoView({ block });
    times -= 1;
    if (times > 0) requestAnimationFrame(settle);
  };
  settle();
}
function goTo(one) {
  mark(one);
  history.replaceState(null, '', one.id ? '#' + one.id : location.href.split('#')[0]);
  unfold(one);
  show(one, one.offsetHeight > innerHeight * 0.6 ? 'start' : 'center');
  const focus = one.querySelector('summary, a');
  if (focus) focus.focus({ preventScroll: true });
}
function named(hash) {
  const found = by(hash.slice(1));
  if (found || !/^#e\d+$/.test(hash)) return found;
  // The event is not on the page: use the last event before it that is.
  const wanted = Number(hash.slice(2));
  let best = null;
  for (const one of all) if (one.id && Number(one.id.slice(1)) <= wanted) best = one;
  return best;
}
function reveal() {
  const found = location.hash.length > 1 ? named(location.hash) : null;
  if (!found) return;
  const target = found.closest('article') || found;
  if (target.closest('[hidden]')) clear();
  if (target.matches('article')) mark(target);
  unfold(target);
  show(target, 'start');
}
