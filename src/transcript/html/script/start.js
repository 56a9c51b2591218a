// Marks the prompt in view in the contents.
const entries = new Map(list('nav li.task a').map(link => [link.hash.slice(1), link.parentElement]));
let current = null;
if (entries.size > 1 && 'IntersectionObserver' in window) {
  const watcher = new IntersectionObserver(seen => {
    for (const one of seen) {
      const entry = entries.get(one.target.id);
      if (!one.isIntersecting || !entry) continue;
      if (current) current.classList.remove('now');
      current = entry;
      current.classList.add('now');
    }
  }, { rootMargin: '-15% 0px -75% 0px' });
  for (const turn of turns) watcher.observe(turn);
}
if (matchMedia('(max-width: 60rem)').matches) by('contents').open = false;
addEventListener('hashchange', reveal);
reveal();
document.documentElement.dataset.ready = String(all.length);
