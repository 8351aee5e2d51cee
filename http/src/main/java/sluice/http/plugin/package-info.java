/// What a plug-in of `sluice serve --plugin` implements (`HttpPlugin`) and the two records that it
/// is given and gives (`PluginRequest`, `PluginReply`). Names nothing else of ours, so that a
/// plug-in shares these three classes with the server and no other.
package sluice.http.plugin;
