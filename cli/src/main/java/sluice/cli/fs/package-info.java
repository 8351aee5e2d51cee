/// `sluice fs`: `FsCommand` and a class for each of its commands. `CopyIn` and `CopyOut` are the
/// two directions of `FsCp`; an image is open as a `MountedImage`.
package sluice.cli.fs;
