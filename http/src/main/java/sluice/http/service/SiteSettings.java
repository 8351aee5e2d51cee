package sluice.http.service;

import sluice.http.rules.SiteRules;
import sluice.http.site.Site;

/// How a loop serves a site.
///
/// @param cacheBytes ready replies kept in memory; 0 keeps none
/// @param rules by path
/// @param watches most inotify watches, at least 2; 0 for none: each hit asks the file system
///   whether its file is unchanged
public record SiteSettings(Site site, long cacheBytes, SiteRules rules, int watches) {}
