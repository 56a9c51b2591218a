// Filters the rows by words, and sorts them by a column.
'use strict';
const body = document.querySelector('tbody');
const rows = Array.from(body.rows);
const none = document.getElementById('none');
document.getElementById('filter').addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  none.hidden = shown > 0;
});
document.querySelectorAll('th').forEach((heading, column) => {
  const name = heading.textContent;
  const button = document.createElement('button');
  button.textContent = name;
  button.title = 'Sort by ' + name.toLowerCase();
  heading.replaceChildren(button);
  button.addEventListener('click', () => {
    const down = heading.getAttribute('aria-sort') !== 'descending';
    document.querySelectorAll('th').forEach((other) => other.removeAttribute('aria-sort'));
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const key = (row) => {
      const cell = row.cells[column];
      const value = cell.dataset.value;
      return value === undefined ? cell.textContent : Number(value);
    };
    const order = (one, other) => {
      const [a, b] = [key(one), key(other)];
      const result = typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
      return down ? -result : result;
    };
    rows.sort(order).forEach((row) => body.append(row));
  });
});
