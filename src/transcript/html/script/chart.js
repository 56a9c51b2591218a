// Zooms and moves the chart of the calls.
const bars = by('bars');
if (bars) {
  const whole = bars.viewBox.baseVal.width, height = bars.viewBox.baseVal.height;
  let from = 0, width = whole;
  const draw = () => {
    from = Math.max(0, Math.min(whole - width, from));
    bars.setAttribute('viewBox', from + ' 0 ' + width + ' ' + height);
  };
  const zoom = (factor, at) => {
    const next = Math.max(1, Math.min(whole, factor ? width / factor : whole));
    from += (width - next) * at;
    width = next;
    draw();
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
    draw();
  });
  bars.addEventListener('dragstart', event => event.preventDefault());
  bars.addEventListener('click', event => { if (moved > 4) event.preventDefault(); }, true);
}
