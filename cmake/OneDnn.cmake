# oneDNN: what scripts/setup put under TANDEM_ONEDNN_DIR, else the system's package,
# and only a version that was tested. See docs/decisions/0001-onednn.md.
set(TANDEM_ONEDNN_TESTED 3.2 3.7)
set(_onednn_dir "$ENV{HOME}/.cache/tandem/onednn")
if(DEFINED ENV{TANDEM_ONEDNN_DIR})
  set(_onednn_dir "$ENV{TANDEM_ONEDNN_DIR}")
endif()
set(TANDEM_ONEDNN_DIR "${_onednn_dir}" CACHE PATH "Where scripts/setup unpacks oneDNN")

find_package(dnnl 3 CONFIG QUIET HINTS ${TANDEM_ONEDNN_DIR})
if(NOT dnnl_FOUND)
  message(FATAL_ERROR "oneDNN: got none under ${TANDEM_ONEDNN_DIR} or among the "
    "system's packages, expected one of ${TANDEM_ONEDNN_TESTED}; run scripts/setup")
endif()
string(REGEX MATCH "^[0-9]+\\.[0-9]+" _onednn_version "${dnnl_VERSION}")
if(NOT _onednn_version IN_LIST TANDEM_ONEDNN_TESTED)
  message(FATAL_ERROR "oneDNN in ${dnnl_DIR}: got ${dnnl_VERSION}, "
    "expected one of ${TANDEM_ONEDNN_TESTED}")
endif()
