/** Raster images, which have no active content. */
const rasters: ReadonlySet<string> = new Set(
  "png jpeg jpg pjpeg gif webp avif apng bmp x-ms-bmp tiff heic heif jxl x-icon vnd.microsoft.icon"
    .split(" ")
    .map((name) => `image/${name}`),
);

export const isRaster = (type: string): boolean => rasters.has(type);
export const isSvg = (type: string): boolean => type === "image/svg+xml" || type === "image/svg";
/** Whether a type is video or audio. */
export const isAudioOrVideo = (type: string): boolean => /^(?:video|audio)\/[a-z0-9.+-]{1,60}$/.test(type);
/** Whether a type may be JSON: servers often send it with a general type, or with none (""). */
export const isJson = (type: string): boolean =>
  ["", "application/json", "text/json", "text/plain", "application/octet-stream"].includes(type) ||
  /^[a-z0-9.-]+\/[a-z0-9.-]+\+json$/.test(type);
