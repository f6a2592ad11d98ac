// Timers that may be as long as one likes: setTimeout fires at once beyond 2^31 - 1 milliseconds.

const LONGEST_MILLISECONDS = 2 ** 31 - 1;

/** Calls back after so many seconds, unless the function that this gives is called before. */
export function startTimer(seconds, callback) {
  let timer;
  let left = Math.max(0, Math.ceil(seconds * 1000));
  const go = () => {
    const part = Math.min(left, LONGEST_MILLISECONDS);
    left -= part;
    timer = setTimeout(left > 0 ? go : callback, part);
  };
  if (left < Infinity) go();
  return () => clearTimeout(timer);
}

/** Waits for so many seconds, or throws the signal's reason as soon as that is aborted. */
export function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      stop();
      reject(signal.reason);
    };
    const stop = startTimer(seconds, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
