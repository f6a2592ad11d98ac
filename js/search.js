// Searching in what is in order.

/** The first number from 0 on for which `isSo`, which never becomes false again; else `count`. */
export function firstWhere(count, isSo) {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
