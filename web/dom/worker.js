// Starts the script with the core as a worker. Where the page is one file, that script has no address
// of its own, and is taken out of the page.

function startWorker() {
  const script = document.querySelector('script[data-core]');
  if (script.src) return new Worker(script.src);
  const address = URL.createObjectURL(new Blob([script.textContent], { type: 'text/javascript' }));
  const worker = new Worker(address);
  URL.revokeObjectURL(address);
  return worker;
}

/**
 * Does a task in a worker. `tell` is called with each thing told on the way. Gives `stop` and the
 * promise `done`, which is true when the task came to its end and false when it was stopped.
 */
export function work(task, tell) {
  const worker = startWorker();
  let settle;
  const done = new Promise((resolve, reject) => {
    settle = resolve;
    worker.onmessage = ({ data }) => {
      try {
        if (data.error) throw Object.assign(new Error(data.error.message), data.error);
        if (data.done) resolve(true);
        else {
          tell(data);
          if (data.events) setTimeout(() => worker.postMessage({ more: true }));
        }
      } catch (error) {
        reject(error);
      }
    };
    worker.onerror = (event) => reject(new Error(event.message || 'The worker could not start.'));
    worker.postMessage(task);
  }).finally(() => worker.terminate());
  return {
    done,
    stop() {
      worker.terminate();
      settle(false);
    },
  };
}
