/** Calls between the harness and its helper processes, over the channel that Node gives a child. */

/** In the child: answers each call with what the method of that name gives. */
export function serve(methods) {
  process.on('message', async ({ id, method, params }) => {
    try {
      process.send({ id, result: await methods[method](params) });
    } catch (error) {
      process.send({ id, error: error instanceof Error ? error.stack : String(error) });
    }
  });
  process.on('disconnect', () => process.exit(0));
}

/** In the parent: a function that calls the child. */
export function caller(child, name) {
  const open = new Map();
  let lastId = 0;
  child.on('message', ({ id, result, error }) => {
    const { resolve, reject } = open.get(id);
    open.delete(id);
    if (error === undefined) resolve(result);
    else reject(new Error(`${name}: ${error}`));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of open.values()) reject(new Error(`${name} ended with ${signal ?? code}`));
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      open.set(++lastId, { resolve, reject });
      child.send({ id: lastId, method, params });
    });
}
