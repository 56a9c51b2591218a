// Shows the times of the log in UTC, or in the time zone of this computer.
const zone = by('zone');
function shift(minutes) {
  for (const one of list('time')) {
    if (!one.dataset.utc) one.dataset.utc = one.textContent;
    const [hours, rest, ...more] = one.dataset.utc.split(':');
    const all = (Number(hours) * 60 + Number(rest) + minutes + 2880) % 1440;
    if (!Number.isFinite(all)) continue;
    const two = number => String(number).padStart(2, '0');
    one.textContent = [two(Math.floor(all / 60)), two(all % 60), ...more].join(':');
  }
}
if (zone) {
  // One shift for the whole page: that of the day when the work began.
  const minutes = -new Date(Number(zone.dataset.began)).getTimezoneOffset();
  zone.hidden = minutes === 0;
  zone.addEventListener('click', () => {
    const local = zone.textContent === 'UTC';
    zone.textContent = local ? 'Local' : 'UTC';
    by('zone-told').textContent = local ? ' in the facts at the top, local elsewhere' : '';
    shift(local ? minutes : 0);
  });
}
