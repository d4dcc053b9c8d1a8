/** What can be wrong with a file that is appended to. */
export type FileFault = 'no_folder' | 'not_a_file' | 'not_permitted' | 'read_only' | 'disk_full'

const FAULTS: Readonly<Record<string, FileFault>> = {
  ENOENT: 'no_folder',
  ENOTDIR: 'no_folder',
  EISDIR: 'not_a_file',
  ELOOP: 'not_a_file',
  ENXIO: 'not_a_file',
  EACCES: 'not_permitted',
  EPERM: 'not_permitted',
  EROFS: 'read_only',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
}

/** What a code of the system means for such a file; undefined when it is none that is known. */
export function fileFaultOf(reason: string): FileFault | undefined {
  return Object.hasOwn(FAULTS, reason) ? FAULTS[reason] : undefined
}

/**
 * Whether anybody but its owner may read or write a file, or look into a folder. What is made is made for its owner alone; what stands there
 * already with more rights has been read by whoever wanted to, and is not added to. A system without such rights (Windows) is not asked.
 */
export function isOpenToOthers({ mode }: { readonly mode: number }): boolean {
  return process.platform !== 'win32' && (mode & 0o077) !== 0
}
