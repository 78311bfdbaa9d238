/** No program in between: clients go to the worker, which says what time a program adds. It costs no CPU but that of the drivers. */
export class Direct {
  name = 'direct';
  isProgram = false;

  /** @param port of the worker */
  constructor(port) {
    this.port = port;
  }

  cpuSeconds() {
    return 0;
  }

  gauge() {
    return Promise.resolve(undefined);
  }

  stop() {
    return Promise.resolve();
  }
}
