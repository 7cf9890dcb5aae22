/** The first descriptor that systemd passes (sd_listen_fds(3)). */
const firstDescriptor = 3;

/** The listening socket that systemd has opened for this process; null if there is none. */
export const inheritedSocket = (environment: NodeJS.ProcessEnv, processId: number): { readonly fd: number } | null =>
  Number(environment.LISTEN_PID) === processId && Number(environment.LISTEN_FDS) >= 1 ? { fd: firstDescriptor } : null;
